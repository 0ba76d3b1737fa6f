import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { suite, test } from 'node:test';
import { everyCase } from '../telling.ts';
import { METRICS, openWorld, pathOf, runBadly, runWell } from './harness.ts';

const HUGE = '9223372036854775807';

const BUSY = { kind: 'status', status: 503 } as const;

suite('the stats', { concurrency: 2 }, () => {
  test('keep every digit of an int64, in outputs and report', async () => {
    const body = `{"ts":${HUGE},"mem_total":${HUGE},"mem_used":9007199254740993,"disk_total":3,"disk_used":2}`;
    await using world = await openWorld({ metrics: () => body });
    const { outputs, reportText } = await runWell(world);
    assert.equal(outputs['ts'], HUGE);
    assert.equal(outputs['mem-total'], HUGE);
    assert.equal(outputs['mem-used'], '9007199254740993');
    assert.equal(outputs['mem-free'], '9214364837600034814');
    assert.equal(outputs['mem-used-pct'], '0.10');
    assert.equal(outputs['disk-used-pct'], '66.67');
    assert.equal(outputs['stats'], body);
    assert.match(reportText, new RegExp(`"ts":${HUGE}\\b`));
    assert.match(reportText, /"mem_used":9007199254740993\b/);
  });

  test('that were not reported are empty outputs, and never 0', async () => {
    await using world = await openWorld({ metrics: () => ({ mem_used: 5, disk_total: null }) });
    const { outputs, summary } = await runWell(world);
    const { 'mem-used': used, stats, uploaded: _, report: _report, ...more } = outputs;
    const { gate: _gate, breaches: _breaches, aggregates: _aggregates, ...others } = more;
    assert.equal(used, '5');
    assert.equal(stats, '{"mem_used":5,"disk_total":null}');
    for (const [name, value] of Object.entries(others)) {
      if (!/count|bytes/.test(name) || name === 'cpu-count') assert.equal(value, '', name);
    }
    assert.match(summary, />Memory<[^\n]*>5&nbsp;B</);
    assert.doesNotMatch(summary, /CPU|Disk/);
    assert.doesNotMatch(summary, /\b0(\.0)? %/);
  });

  test('come out to the letter', async () => {
    const sent = ' {"b": 1.50, "2": 1,\n "a": [], "mem_used": 5} ';
    await using world = await openWorld({ metrics: () => sent });
    const { outputs } = await runWell(world);
    assert.equal(outputs['stats'], sent.trim());
  });

  test('that the contract does not know stay in the JSON', async () => {
    await using world = await openWorld({
      metrics: () => ({ ...METRICS, mem_cache: 77, gpu: { a: ['b'] } }),
    });
    const { outputs, report } = await runWell(world);
    assert.equal(
      outputs['stats'],
      JSON.stringify({ ...METRICS, mem_cache: 77, gpu: { a: ['b'] } }),
    );
    assert.deepEqual(report.stats, { ...METRICS, mem_cache: 77, gpu: { a: ['b'] } });
  });

  test('with totals of 0 give no percentage and nothing free', async () => {
    const metrics = () => ({ mem_total: 0, mem_used: 0, disk_total: 0, disk_used: 0 });
    await using world = await openWorld({ metrics });
    const { outputs } = await runWell(world);
    const derived = ['mem-used-pct', 'mem-free', 'disk-used-pct', 'disk-free'].map(
      name => outputs[name],
    );
    assert.deepEqual(derived, ['', '', '', '']);
    assert.equal(outputs['mem-total'], '0');
  });

  test('are read after the last upload, also when some failed', async () => {
    await using world = await openWorld({
      files: { 'a.txt': 'a', 'b.txt': 'b' },
      faults: [{ on: 'upload', path: 'a.txt', do: { kind: 'status', status: 400 } }],
    });
    const { outputs, report } = await runBadly(world);
    const urls = world.agent.requests.map(request =>
      request.method === 'GET' ? 'stats' : pathOf(request),
    );
    assert.deepEqual(urls.toSorted(), ['a.txt', 'b.txt', 'stats']);
    assert.equal(urls.at(-1), 'stats');
    assert.equal(outputs['mem-total'], '8589934592');
    assert.deepEqual(report.stats, METRICS);
  });

  for (const status of [404, 500, 204]) {
    test(`answered ${status} fail the step with their own message after a good upload`, async () => {
      await using world = await openWorld({
        faults: [{ on: 'stats', do: { kind: 'status', status } }],
      });
      const result = await runBadly(world, { retries: '0' });
      assert.equal(result.outputs['uploaded-count'], '1');
      assert.equal(result.outputs['failed-count'], '0');
      assert.equal(result.outputs['stats'], '');
      const [error = '', ...others] = result.annotations('error');
      assert.deepEqual(others, []);
      assert.match(error, /Uploaded 1 of 1 file, but/);
      assert.match(error, new RegExp(`GET http://127\\.0\\.0\\.1:\\d+/metrics answered ${status}`));
    });
  }

  for (const body of ['[]', '{"a":', ...(everyCase ? ['"text"', 'null', '<h1>Hi</h1>'] : [])]) {
    test(`that are ${body} fail the step, with what was tried in the message`, async () => {
      await using world = await openWorld({ metrics: () => body });
      const [error = ''] = (await runBadly(world)).annotations('error');
      assert.match(error, /GET http:\S+\/metrics/);
    });
  }

  test('are asked for again after a transient failure, with a line in the log', async () => {
    await using world = await openWorld({ faults: [{ on: 'stats', times: 1, do: BUSY }] });
    const { outputs, stdout } = await runWell(world);
    assert.equal(outputs['stats'], JSON.stringify(METRICS));
    assert.match(stdout, /503 Service Unavailable/);
  });

  test('are asked for without a cache', async () => {
    await using world = await openWorld();
    const asked: unknown[] = [];
    const onRequest = ({ method, headers }: IncomingMessage) =>
      void (method === 'GET' && asked.push(headers['cache-control']));
    await runWell(world, {}, { task: 'stats', onRequest });
    assert.deepEqual(asked, ['no-cache']);
  });

  test('that are wrong in one field are a warning, and the others count', async () => {
    await using world = await openWorld({ metrics: () => ({ ...METRICS, mem_total: 'lots' }) });
    const result = await runWell(world);
    assert.match(result.annotations('warning').join(), /mem_total/);
    assert.equal(result.outputs['mem-total'], '');
    assert.equal(result.outputs['mem-used'], '2147483648');
  });
});
