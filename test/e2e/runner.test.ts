import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { expectFailure, expectSuccess, preload, runAction } from '../support/run-action.ts';
import { skipOnWindows, skipUnlessLinux } from '../support/system.ts';
import { manyFiles, openJob, TOKEN } from '../support/test-job.ts';

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

test('only their owner can read the report, the checksums and the state', {
  skip: skipOnWindows('it has other permissions'),
}, async () => {
  await using job = await openJob();
  const inputs = { checksums: 'true', 'state-file': 'state.json' };
  const { outputs } = await expectSuccess(job, inputs, { task: 'upload' });
  const { report = '', checksums = '' } = outputs;
  for (const file of [report, checksums, path.join(job.workspace, 'state.json')])
    assert.equal(statSync(file).mode & 0o777, 0o600, file);
});

test('a closed stdout does not keep outputs and summary from being written', async () => {
  await using job = await openJob();
  const close =
    "process.stdout.write=()=>{process.stdout.emit('error',Object.assign(new Error('EPIPE'),{code:'EPIPE'}));return false}";
  const { exitCode, outputs, summary } = await runAction(job, {}, { env: preload(close) });
  assert.deepEqual([exitCode, outputs['uploaded-count']], [0, '1']);
  assert.match(summary, /^<p>✅/);
});

test('summary: false writes no job summary, not even for invalid inputs', async () => {
  await using job = await openJob();
  assert.equal((await expectFailure(job, { summary: 'False', port: 'x' })).summary, '');
  assert.equal((await expectSuccess(job, { summary: 'false' }, { task: 'stats' })).summary, '');
});

test('the log masks the token first, folds the list of files, and ends with the verdict', async () => {
  await using job = await openJob({ files: manyFiles(60) });
  const inputs = { target: '/app', 'fail-if': 'mem_used_pct > 90' };
  const result = await expectSuccess(job, inputs);
  const { lines, masked, summary } = result;
  assert.equal(lines[0], `::add-mask::${TOKEN}`);
  assert.deepEqual(masked, [TOKEN]);
  const group = lines.slice(lines.indexOf('::group::Files') + 1, lines.indexOf('::endgroup::'));
  const expected = Object.keys(manyFiles(60)).map(name => `uploaded: ${name} → /app/${name}`);
  assert.deepEqual(new Set(group), new Set(expected));
  assert.match(lines.at(-2) ?? '', /^Uploaded 60 files/);
  const unfolded = lines.join('\n').replace(/^::(group::.*^::endgroup::|debug::.*?)$/gms, '');
  assert.ok(unfolded.trim().split(/\n+/).length <= 8, unfolded);
  // Only look for the action's own debug lines: @actions/glob always writes some.
  assert.doesNotMatch(result.stdout, /^::debug::.*(timeout|60 files)/m);
  assert.match(summary, /^<p>✅ Uploaded 60 files/);
});

test('the debug log has the plan and the stats, without secrets', async () => {
  await using job = await openJob();
  const inputs = { headers: 'X-Session: hush-hush', timeout: '30s', 'warn-if': 'cpu_count > 9' };
  const { lines } = await expectSuccess(job, inputs, { env: { RUNNER_DEBUG: '1' } });
  const log = lines.filter(line => line.startsWith('::debug::')).join('\n');
  for (const part of [/sandbox-sync\/\d/, /1 file/, /12\.5/]) assert.match(log, part);
  assert.ok(!log.includes('hush-hush') && !log.includes(TOKEN));
});
