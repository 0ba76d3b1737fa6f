import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, expectSuccess, runAction } from './run-action.ts';
import { openJob } from './test-job.ts';

test('a GITHUB_OUTPUT that cannot be written fails the step, and the summary is still written', async () => {
  await using job = await openJob();
  const GITHUB_OUTPUT = process.platform === 'linux' ? '/dev/full' : undefined;
  const { errors, summary } = await expectFailure(job, {}, { env: { GITHUB_OUTPUT } });
  assert.match(errors, /outputs could not be written/);
  assert.match(summary, /Uploaded 1 file/);
  assert.equal(job.readStored('a.txt').toString(), 'text');
});

test('a missing GITHUB_STEP_SUMMARY or RUNNER_TEMP is a warning', async () => {
  await using job = await openJob();
  const env = { GITHUB_STEP_SUMMARY: '/no/such/file', RUNNER_TEMP: undefined };
  const { warnings, outputs } = await expectSuccess(job, {}, { env });
  assert.match(warnings, /summary could not be written/);
  assert.match(warnings, /RUNNER_TEMP/);
  assert.deepEqual([outputs['report'], outputs['uploaded-count']], ['', '1']);
});

test('a closed stdout does not keep outputs and summary from being written', async () => {
  await using job = await openJob();
  const close =
    "process.stdout.write=()=>{process.stdout.emit('error',Object.assign(new Error('EPIPE'),{code:'EPIPE'}));return false}";
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(close)}` };
  const { exitCode, outputs, summary } = await runAction(job, {}, { env });
  assert.deepEqual([exitCode, outputs['uploaded-count']], [0, '1']);
  assert.match(summary, /^<h3>✅/);
});

test('summary: false writes no job summary, not even for invalid inputs', async () => {
  await using job = await openJob();
  assert.equal((await expectFailure(job, { summary: 'False', port: 'x' })).summary, '');
  assert.equal((await expectSuccess(job, { summary: 'false' }, { task: 'stats' })).summary, '');
});
