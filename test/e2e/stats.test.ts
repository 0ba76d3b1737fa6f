import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { METRICS, methods, openFaulty, openWorld, runBadly, runWell, status } from './harness.ts';

describe('the stats', () => {
  test('come out as the agent sent them, written again, and figures not reported are empty, never 0', async () => {
    const sent =
      ' {"b": 1.50, "2": 1,\n "gpu": {"c": ["d"]}, "mem_used": 5, "disk_total": 0, "cpu_count": "two"} ';
    const fault = { on: 'stats', times: 1, do: status(503) } as const;
    await using world = await openWorld({ metrics: () => sent, faults: [fault] });
    const { outputs, summary, report } = await runWell(world, {}, { task: 'stats' });
    assert.equal(outputs['stats'], JSON.stringify(JSON.parse(sent)));
    assert.deepEqual(report.stats, JSON.parse(sent));
    assert.equal(outputs['mem-used'], '5');
    for (const name of [
      'ts',
      'cpu-count',
      'cpu-used-pct',
      'mem-total',
      'mem-used-pct',
      'disk-total',
    ])
      assert.equal(outputs[name], '', name);
    assert.doesNotMatch(summary, /<td>(CPU|Disk)|\b0(\.0)?(&nbsp;| )%/);
    assert.equal(methods(world), 'GET GET', 'asked again after a failure that may pass');
  });

  test('are read after the last upload, also if some failed', async () => {
    const options = { files: { 'a.txt': 'a', 'b.txt': 'b' } };
    await using world = await openFaulty(status(400), { path: 'a.txt' }, options);
    const inputs = { samples: '2', 'sample-interval': '200ms' };
    const { outputs, report } = await runBadly(world, inputs);
    assert.equal(methods(world), 'POST POST GET GET GET');
    assert.equal(outputs['mem-total'], '8589934592');
    assert.deepEqual(report.stats, METRICS);
  });

  test('that fail, or are no stats, fail the step after a good upload', async () => {
    const faults = [{ on: 'stats', times: 1, do: status(404) }] as const;
    await using world = await openWorld({ metrics: () => '<h1>Hi</h1>', faults });
    for (const says of [/GET http:\S+\/metrics answered 404/, /GET http:\S+\/metrics/]) {
      const { outputs, annotations, errors } = await runBadly(world, { retries: '0' });
      assert.deepEqual([outputs['uploaded-count'], outputs['stats']], ['1', '']);
      assert.equal(annotations('error').length, 1);
      assert.match(errors, says);
    }
  });
});
