import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { expectFailure, expectSuccess, preload, runAction } from '../support/run-action.ts';
import { skipUnlessLinux } from '../support/system.ts';
import { openJob } from '../support/test-job.ts';

test('a GITHUB_OUTPUT that cannot be written fails the step, and the summary is still written', async () => {
  await using job = await openJob();
  // GITHUB_OUTPUT is a folder, so writing the outputs fails.
  const env = { GITHUB_OUTPUT: job.temp };
  const { errors, summary } = await expectFailure(job, {}, { env });
  assert.match(errors, /outputs could not be written/);
  assert.match(summary, /Uploaded 1 file/);
  assert.equal(job.readStored('a.txt').toString(), 'text');
});

test('a report file that cannot be written fails the step, and a job summary is only a warning', {
  skip: skipUnlessLinux('needs a folder in which nobody can create another'),
}, async () => {
  await using job = await openJob();
  const env = { GITHUB_STEP_SUMMARY: '/no/such/file', RUNNER_TEMP: '/proc' };
  const { errors, warnings, outputs } = await expectFailure(job, {}, { task: 'stats', env });
  assert.match(warnings, /summary could not be written/);
  assert.match(errors, /outputs could not be written: ENOENT/);
  assert.deepEqual([outputs['report'], outputs['gate']], [undefined, 'none']);
});

test('a step without RUNNER_TEMP writes its report to the temporary folder of the system', async () => {
  await using job = await openJob();
  const env = { RUNNER_TEMP: undefined, TMPDIR: job.outside, TEMP: job.outside };
  const { outputs } = await expectSuccess(job, {}, { task: 'stats', env });
  assert.equal(path.dirname(path.dirname(outputs['report'] ?? '')), job.outside);
});

test('a closed stdout does not keep outputs and summary from being written', async () => {
  await using job = await openJob();
  const close =
    "process.stdout.write=()=>{process.stdout.emit('error',Object.assign(new Error('EPIPE'),{code:'EPIPE'}));return false}";
  const { exitCode, outputs, summary } = await runAction(job, {}, { env: preload(close) });
  assert.deepEqual([exitCode, outputs['uploaded-count']], [0, '1']);
  assert.match(summary, /^<h3>✅/);
});

test('summary: false writes no job summary, not even for invalid inputs', async () => {
  await using job = await openJob();
  assert.equal((await expectFailure(job, { summary: 'False', port: 'x' })).summary, '');
  assert.equal((await expectSuccess(job, { summary: 'false' }, { task: 'stats' })).summary, '');
});
