import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsInTurn, statusFault } from './faults.ts';
import { expectFailure, expectSuccess, requestMethods } from './run-action.ts';
import { METRICS, openJob } from './test-job.ts';

test("the stats output is the agent's JSON without spaces, and unreported figures are empty, never 0", async () => {
  const sent =
    ' {"b": 1.50, "2": 1,\n "gpu": {"c": ["d"]}, "mem_used": 5, "disk_total": 0, "cpu_count": "two"} ';
  const answers = [statusFault(503), statusFault(200, sent)];
  await using job = await openJob({ faults: faultsInTurn({ on: 'stats' }, answers) });
  const { outputs, summary, report } = await expectSuccess(job, {}, { task: 'stats' });
  assert.equal(outputs['stats'], JSON.stringify(JSON.parse(sent)));
  assert.deepEqual(report.stats, JSON.parse(sent));
  assert.equal(outputs['mem-used'], '5');
  for (const name of ['ts', 'cpu-count', 'cpu-used-pct', 'mem-total', 'mem-used-pct', 'disk-total'])
    assert.equal(outputs[name], '', name);
  assert.doesNotMatch(summary, /<td>(CPU|Disk)|\b0(\.0)?(&nbsp;| )%/);
  assert.equal(requestMethods(job), 'GET GET', 'a 503 is retried');
});

test('stats are read after the last upload, even if an upload failed', async () => {
  const faults = [{ on: 'upload', path: 'a.txt', do: statusFault(400) }] as const;
  await using job = await openJob({ files: { 'a.txt': 'a', 'b.txt': 'b' }, faults });
  const inputs = { samples: '2', 'sample-interval': '200ms' };
  const { outputs, report } = await expectFailure(job, inputs);
  assert.equal(requestMethods(job), 'POST POST GET GET GET');
  assert.equal(outputs['mem-total'], '8589934592');
  assert.deepEqual(report.stats, METRICS);
});

test('unreadable stats fail the step after a good upload, and end the sampling', async () => {
  const answers = [statusFault(404), statusFault(200, '<h1>Hi</h1>')];
  await using job = await openJob({ faults: faultsInTurn({ on: 'stats' }, answers) });
  const inputs = { retries: '0', samples: '2' };
  for (const says of [
    /GET http:\S+\/metrics answered 404/,
    /\/metrics answered 200 .*it is not a JSON object/,
  ]) {
    const { outputs, annotations, errors } = await expectFailure(job, inputs);
    assert.deepEqual([outputs['uploaded-count'], outputs['stats']], ['1', '']);
    assert.equal(annotations('error').length, 1);
    assert.match(errors, says);
  }
  assert.equal(requestMethods(job), 'POST GET POST GET');
});
