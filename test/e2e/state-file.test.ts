import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  expectSuccess,
  type Inputs,
  requestMethods,
  runAction,
  uploadPathOf,
  uploadRequests,
} from '../support/run-action.ts';
import { WINDOWS } from '../support/system.ts';
import { openJob, type TestJob, TOKEN } from '../support/test-job.ts';

const FILES = { 'a.txt': 'aaa', 'b.txt': 'bbb', 'dir/c.txt': 'ccc', empty: '' };
const ALL = Object.keys(FILES);

/** This file is in a hidden folder, so `files: **` does not match it. */
const STATE = '.sandbox-sync/state.json';

/** Runs an action with a state file. `sent` lists the targets of its uploads. */
async function run(job: TestJob, inputs: Inputs = {}, task: 'sync' | 'upload' = 'sync') {
  const before = uploadRequests(job).length;
  const result = await runAction(job, { 'state-file': STATE, ...inputs }, { task });
  const sent = uploadRequests(job).slice(before).map(uploadPathOf).toSorted();
  return { ...result, sent };
}

function stateOf(job: TestJob): string | undefined {
  const file = path.join(job.workspace, STATE);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

test('with a state file, later runs send only changed files and list orphaned ones', async () => {
  await using job = await openJob({ files: FILES });
  // A failed gate does not undo the upload, so the state file is written.
  const first = await run(job, { 'fail-if': 'cpu_count > 0' });
  assert.deepEqual([first.exitCode, first.sent], [1, ALL]);

  const same = await run(job, {}, 'upload');
  assert.deepEqual(same.sent, []);
  assert.deepEqual(
    ['uploaded-count', 'unchanged-count', 'skipped-count'].map(name => same.outputs[name]),
    ['0', '4', '0'],
  );
  for (const { status: ending, path: place, source } of same.report.upload.files)
    assert.deepEqual([ending, place], ['unchanged', `/home/user/${source}`]);
  assert.match(same.stdout, /^unchanged: a\.txt/m);
  assert.match(same.report.headline, /4 .*unchanged/);

  job.write({ 'a.txt': 'AAA', 'b.txt': 'longer', 'new.txt': 'new' });
  const before = stateOf(job);
  const dry = await run(job, { 'dry-run': 'true' });
  assert.deepEqual([dry.outputs['planned-count'], dry.outputs['unchanged-count']], ['3', '2']);
  assert.equal(stateOf(job), before);

  const { sent, lines, report } = await run(job, { files: '**\n!dir/**' });
  assert.deepEqual(sent, ['a.txt', 'b.txt', 'new.txt']);
  assert.deepEqual(report.upload.orphaned, ['/home/user/dir/c.txt']);
  const line = lines.find(each => each.startsWith('Still in the sandbox'));
  assert.match(line ?? '', /`\/home\/user\/dir\/c\.txt`\.$/);
});

test('a sync that cannot reach the sandbox reads no stats, even if a file is unchanged', async () => {
  await using job = await openJob({ files: FILES });
  await run(job);
  job.write({ 'a.txt': 'AAA' });
  const { outputs } = await run(job, { token: 'another-token' });
  assert.deepEqual([outputs['unchanged-count'], outputs['failed-count']], ['3', '1']);
  assert.equal(requestMethods(job), 'POST POST POST POST GET POST');
});

test('the state file holds hashes, no secrets, is private (0600) and is not uploaded', async () => {
  const large = Buffer.alloc(3_000_000, 'large');
  await using job = await openJob({ files: { ...FILES, large } });
  const inputs = { 'include-hidden-files': 'true', headers: 'X-Api-Key: secret-of-one-run' };
  assert.equal((await run(job, inputs)).exitCode, 0);
  const state = stateOf(job) ?? '';
  for (const content of ['aaa', large]) assert.ok(state.includes(hash('sha256', content)));
  assert.ok(!state.includes(TOKEN) && !state.includes('secret-of-one-run'));
  const { mode } = statSync(path.join(job.workspace, STATE));
  assert.equal(mode & 0o777, WINDOWS ? 0o666 : 0o600);
  assert.deepEqual(readdirSync(path.join(job.workspace, '.sandbox-sync')), ['state.json']);
  const again = await run(job, inputs);
  assert.deepEqual([again.exitCode, again.sent], [0, []], again.stdout);
});

test('an upload succeeds with a warning if its state file cannot be written after the transfer', async () => {
  await using job = await openJob();
  const file = path.join(job.workspace, STATE);
  const onRequest = () => {
    rmSync(file);
    mkdirSync(file);
  };
  const options = { task: 'upload', onRequest } as const;
  const { outputs, warnings } = await expectSuccess(job, { 'state-file': STATE }, options);
  assert.equal(outputs['uploaded-count'], '1');
  assert.match(
    warnings,
    /^The state file could not be written, so the next run sends every file: E/m,
  );
});
