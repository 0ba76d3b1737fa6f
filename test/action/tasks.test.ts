import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  actionOf,
  METRICS,
  openWorld,
  pathOf,
  runBadly,
  runWell,
  STATS_OUTPUTS,
  uploads,
} from './harness.ts';

const TASKS = ['sync', 'upload', 'stats'] as const;

suite('each action', { concurrency: 2 }, () => {
  for (const task of TASKS) {
    test(`${task} has exactly the outputs of its action.yml, whatever becomes of it`, async () => {
      const declared = (await actionOf(task)).outputs.map(({ name }) => name).toSorted();
      await using world = await openWorld();
      const refused = await runBadly(world, { retries: 'often', 'header-prefix': 'a b' }, { task });
      assert.equal(world.agent.connections(), 0);
      assert.match(refused.annotations('error').join(), /^2 inputs are invalid; nothing was sent/);
      const good = await runWell(world, {}, { task });
      assert.match(good.summary, /^<h3>✅/);
      for (const { outputs } of [
        refused,
        good,
        await runBadly(world, { token: 'wrong' }, { task }),
      ]) {
        assert.deepEqual(Object.keys(outputs).toSorted(), declared);
      }
    });

    test(`${task} writes no summary where it is not to`, async () => {
      await using world = await openWorld();
      assert.equal((await runWell(world, { summary: 'false' }, { task })).summary, '');
    });
  }

  test('upload uploads, and asks for no stats', async () => {
    await using world = await openWorld({ files: { 'a.txt': 'a', 'b.txt': 'bb' } });
    const { outputs, summary } = await runWell(world, { target: '/app' }, { task: 'upload' });
    assert.deepEqual(
      world.agent.requests.map(({ method }) => method),
      ['POST', 'POST'],
    );
    assert.deepEqual(uploads(world).map(pathOf).toSorted(), ['/app/a.txt', '/app/b.txt']);
    assert.equal(world.stored('/app/b.txt').toString(), 'bb');
    const { report: _, uploaded = '', ...counts } = outputs;
    assert.equal(JSON.parse(uploaded).length, 2);
    assert.deepEqual(counts, {
      'uploaded-count': '2',
      'unchanged-count': '0',
      'failed-count': '0',
      'skipped-count': '0',
      'hidden-count': '0',
      'uploaded-bytes': '3',
      digest: '',
      checksums: '',
    });
    assert.match(summary, /^<h3>✅ Sandbox Sync \(.*\): Uploaded 2 files \(3 B\) in /);
    assert.doesNotMatch(summary, /CPU|not reported/);
  });

  test('upload fails where a file does not arrive', async () => {
    await using world = await openWorld({
      faults: [{ on: 'upload', do: { kind: 'status', status: 400 } }],
    });
    const { outputs } = await runBadly(world, {}, { task: 'upload' });
    assert.deepEqual([outputs['uploaded-count'], outputs['failed-count']], ['0', '1']);
  });

  test('upload sends nothing in a dry run', async () => {
    await using world = await openWorld();
    const { outputs } = await runWell(world, { 'dry-run': 'true' }, { task: 'upload' });
    assert.equal(world.agent.connections(), 0);
    assert.deepEqual([outputs['uploaded-count'], outputs['skipped-count']], ['0', '1']);
  });

  test('stats reads the stats, uploads nothing, and looks for no files', async () => {
    await using world = await openWorld();
    const { outputs, summary, report } = await runWell(world, {}, { task: 'stats' });
    assert.deepEqual(
      world.agent.requests.map(({ method }) => method),
      ['GET'],
    );
    const { report: _, aggregates = '', ...others } = outputs;
    assert.deepEqual(Object.keys(JSON.parse(aggregates)).length, 13);
    assert.deepEqual(others, STATS_OUTPUTS);
    assert.match(
      summary,
      /^<h3>✅ Sandbox Sync \(.*\): The sandbox reports CPU 12\.5 %, memory 25 %, disk 11\.5 %\.<\/h3>/,
    );
    assert.deepEqual([report.files, report.stats], [[], METRICS]);
  });

  test('stats tells in its headline the most that it saw, and judges it', async () => {
    let asked = 0;
    await using world = await openWorld({
      metrics: () => ({ cpu_used_pct: [99, 30, 20][asked++] }),
    });
    const inputs = { samples: '2', 'sample-interval': '200ms', 'warn-if': 'cpu_used_pct > 29' };
    const { summary, outputs } = await runWell(world, inputs, { task: 'stats' });
    assert.equal(outputs['gate'], 'warned');
    assert.match(summary, /^<h3>⚠️ Sandbox Sync \(.*\): Peak over 2 samples: CPU 30 %\.<\/h3>/);
    assert.doesNotMatch(summary, /mermaid/);
  });

  test('stats fails where they cannot be had, with what was tried and what to do', async () => {
    await using world = await openWorld();
    const result = await runBadly(world, { token: 'wrong' }, { task: 'stats' });
    assert.match(
      result.annotations('error').join(),
      /GET http:\S+\/metrics answered 401[\s\S]*Check token/,
    );
    assert.deepEqual(
      [result.outputs['gate'], result.outputs['stats'], result.outputs['aggregates']],
      ['none', '', '{}'],
    );
  });
});
