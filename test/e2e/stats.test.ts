import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsInTurn, statusFault } from '../support/faults.ts';
import { expectFailure, expectSuccess, requestMethods } from '../support/run-action.ts';
import { openJob } from '../support/test-job.ts';

test("the stats output is the agent's JSON without spaces, and unreported figures are empty, never 0", async () => {
  const sent =
    ' {"b": 1.50, "2": 1,\n "gpu": {"c": ["d"]}, "mem_used": 5, "disk_total": 0, "cpu_count": "two"} ';
  const faults = [statusFault(503), statusFault(200, sent)];
  await using job = await openJob({ faults: faultsInTurn({ on: 'stats' }, faults) });
  const { outputs, summary, report } = await expectSuccess(job, {}, { task: 'stats' });
  assert.equal(outputs['stats'], JSON.stringify(JSON.parse(sent)));
  assert.deepEqual(report.stats.response, JSON.parse(sent));
  assert.equal(outputs['mem-used'], '5');
  for (const name of ['ts', 'cpu-count', 'cpu-used-pct', 'mem-total', 'mem-used-pct', 'disk-total'])
    assert.equal(outputs[name], '', name);
  assert.doesNotMatch(summary, /<td>(CPU|Disk)|\b0(\.0)?(&nbsp;| )%/);
  assert.equal(requestMethods(job), 'GET GET', 'a 503 is retried');
});

test('stats that cannot be read fail the step after a good upload, which warn-if does not stop', async () => {
  await using job = await openJob({ faults: [{ on: 'stats', do: statusFault(404) }] });
  const inputs = { samples: '2', 'warn-if': 'mem_used > 1B' };
  const { outputs, annotations, errors } = await expectFailure(job, inputs);
  const { 'uploaded-count': uploaded, stats, gate } = outputs;
  assert.deepEqual([uploaded, stats, gate], ['1', '', 'warned']);
  assert.equal(annotations('error').length, 1);
  assert.match(errors, /GET http:\S+\/metrics answered 404/);
  assert.equal(requestMethods(job), 'POST GET');
});
