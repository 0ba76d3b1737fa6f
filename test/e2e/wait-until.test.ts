import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, requestMethods, uploadRequests } from '../support/run-action.ts';
import { metricsInTurn, openJob } from '../support/test-job.ts';

const WAIT_INPUTS = {
  'wait-until': 'cpu_used_pct < 20\nmem_free > 1GiB',
  'sample-interval': '200ms',
};

test('wait-until waits before the upload, and the gate judges after it', async () => {
  await using job = await openJob({ metrics: metricsInTurn('cpu_used_pct', 90, 50, 10, 90, 60) });
  const { outputs } = await expectFailure(job, { ...WAIT_INPUTS, 'fail-if': 'cpu_used_pct > 55' });
  // The first three GETs wait for the sandbox. The fourth checks that the gate can be judged, and
  // starts the time that the last CPU figure covers.
  assert.equal(requestMethods(job), 'GET GET GET GET POST GET');
  assert.deepEqual([outputs['gate'], outputs['cpu-used-pct']], ['failed', '60']);
});

test('wait-until ends at wait-timeout, reports the last figures, and nothing is sent', async () => {
  await using job = await openJob({ metrics: metricsInTurn('cpu_used_pct', 87.5) });
  const inputs = { ...WAIT_INPUTS, 'wait-timeout': '300ms', 'fail-if': 'mem_used_pct > 99' };
  const { errors, summary, outputs } = await expectFailure(job, inputs);
  assert.equal(uploadRequests(job).length, 0);
  for (const text of [errors, summary.replaceAll('&lt;', '<')])
    assert.match(text, /not ready within.*cpu_used_pct < 20.*87\.5 %/s);
  assert.doesNotMatch(errors, /mem_free/);
  assert.equal(outputs['gate'], 'failed');
});
