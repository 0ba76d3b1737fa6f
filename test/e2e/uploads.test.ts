import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type FaultAction, proxyError, statusFault } from '../support/faults.ts';
import { assertNoInjection, INJECTIONS } from '../support/injections.ts';
import { assertDelivered } from '../support/result.ts';
import {
  expectFailure,
  expectSuccess,
  requestMethods,
  runAction,
  uploadPathOf,
  uploadRequests,
} from '../support/run-action.ts';
import { canBeNamed, skipUnlessLinux } from '../support/system.ts';
import { type Files, METRICS, manyFiles, openJob } from '../support/test-job.ts';

const KIB = 1024;

const NAMED: Files = {
  'plain.txt': 'text',
  empty: '',
  [`${'d/'.repeat(100)}deep.bin`]: randomBytes(1000),
  'with space/and  two.txt': 'space',
  '100%/%41%.txt': 'percent',
  'a#b?c+d&e=f;g.txt': 'URL',
  'naïve/日本語/😀.txt': 'beyond ASCII',
  'back\\slash.txt': 'backslash',
  'almost-streamed': randomBytes(256 * KIB),
  'just-streamed': randomBytes(256 * KIB + 1),
  'large.bin': randomBytes(3 * KIB * KIB),
};

/** Names with injected commands or markup, and names of the maximum length (255 bytes). */
const HOSTILE = [
  ...Object.values(INJECTIONS).map(text => text.toWellFormed().replaceAll(/[/\0]/g, '|')),
  '%0A::warning::injected',
  '@someone #1 &amp; &lt;',
  'n'.repeat(255),
  `${'ü'.repeat(127)}x`,
];

const ALL: Files = { ...NAMED, ...Object.fromEntries(HOSTILE.map(name => [name, name])) };
const TREE: Files = Object.fromEntries(Object.entries(ALL).filter(([name]) => canBeNamed(name)));
const DEBUG = { env: { RUNNER_DEBUG: '1' } };

test('a tree of files is uploaded byte for byte, and hostile names are escaped in log and summary', async () => {
  await using job = await openJob({ files: TREE });
  const result = await expectSuccess(job, {}, DEBUG);
  assertNoInjection(result);
  assertDelivered(job, result);
  const { report, outputs } = result;
  assert.match(report.$schema, /\/schema\/report-1\.json$/);
  assert.equal(report.succeeded, true);
  assert.deepEqual(report.stats.response, METRICS);
  const bytes = Object.values(TREE).reduce((sum, content) => sum + Buffer.byteLength(content), 0);
  assert.equal(outputs['uploaded-bytes'], String(bytes));
  assert.deepEqual(
    new Set(report.upload.files.map(file => [file.source, file.path, file.status, file.attempts])),
    new Set(Object.keys(TREE).map(name => [name, `/home/user/${name}`, 'uploaded', 1])),
  );
});

test('hostile names are escaped in log and summary if their uploads fail', async () => {
  const fault = statusFault(422, HOSTILE.join());
  await using job = await openJob({ files: TREE, faults: [{ on: 'any', do: fault }] });
  assertNoInjection(await expectFailure(job, { retries: '1' }, DEBUG));
});

const ONCE: Readonly<Record<string, FaultAction>> = {
  'a status after the body': statusFault(503),
  'a status before the body': statusFault(429, '', { early: true }),
  'a reset before the body': { kind: 'reset', at: 'before-body' },
  'a reset during the body': { kind: 'reset', at: 'during-body' },
  'a reset after the body': { kind: 'reset', at: 'after-body' },
  'a cut response': { kind: 'truncate' },
};

test('the upload action sends a file that fails once again from its beginning, and requests no stats', async () => {
  const names = Object.keys(ONCE);
  const files = Object.fromEntries(names.map(name => [name, randomBytes(600 * KIB)]));
  const faults = Object.entries(ONCE).map(
    ([name, fault]) => ({ on: 'upload', path: name, times: 1, do: fault }) as const,
  );
  await using job = await openJob({ files, faults });
  const result = await expectSuccess(job, { retries: '1' }, { task: 'upload' });
  assertDelivered(job, result);
  for (const name of names) assert.equal(result.file(name).attempts, 2, name);
  assert.doesNotMatch(requestMethods(job), /GET/);
  assert.doesNotMatch(result.summary, /CPU|not reported/);
});

const ADVICE = 'not directly to /tmp';
const REFUSED: Readonly<Record<string, readonly [target: string, words: string, advice: string]>> =
  {
    'a file directly in /tmp that exists': ['/tmp/sleep', 'permission denied', ADVICE],
    'a running program': ['bin/sleep', 'text file busy', ADVICE],
    'a read-only file system': ['/sys/x', 'read-only file system', ADVICE],
    'a folder': ['/home/user', 'path is a directory', 'end the target with /'],
  };
for (const [name, [target, words, advice]] of Object.entries(REFUSED))
  test(`an upload over what the sandbox protects is not repeated, and says where to upload instead [${name}]`, {
    skip: skipUnlessLinux('these are words of Linux'),
  }, async t => {
    await using job = await openJob({ files: { sleep: readFileSync('/bin/sleep') } });
    const inputs = { files: `sleep => ${target}`, retries: '1' };
    const run = () => runAction(job, inputs, { task: 'upload' });
    await run();
    if (target === 'bin/sleep') {
      const program = path.join(job.root, 'home/user/bin/sleep');
      chmodSync(program, 0o755);
      const { pid = 0 } = spawn(program, ['60'], { stdio: 'ignore' });
      t.after(() => process.kill(pid));
    }
    const before = uploadRequests(job).length;
    const { errors } = await run();
    assert.match(errors, RegExp(`said: ".*${words}.*${advice}`, 's'));
    assert.equal(uploadRequests(job).length, before + 1);
  });

test('the advice names base-url if an upload meets a website', async () => {
  const statuses = [400, 403, 404, 405, 415];
  const faults = statuses.map(status => {
    const fault = statusFault(status, '<title>Sandboxes for everyone</title>');
    return { on: 'upload', path: String(status), do: fault } as const;
  });
  const files = Object.fromEntries(statuses.map(status => [status, 'text']));
  await using job = await openJob({ files, faults });
  const result = await expectFailure(job, {}, { task: 'upload' });
  for (const status of statuses)
    assert.match(result.file(String(status)).error?.hint ?? '', /\bbase-url\b/, String(status));
});

const FULL = statusFault(507, proxyError('not enough disk space available', 507));
const NOTHING_ARRIVES: Readonly<Record<string, readonly [FaultAction, requests: RegExp]>> = {
  'the sandbox is gone': [statusFault(502, proxyError('The sandbox was not found')), /^(POST ?)+$/],
  'the disk is full': [FULL, /POST GET$/],
};
for (const [name, [fault, requests]] of Object.entries(NOTHING_ARRIVES))
  test(`the stats are only requested after an upload of which nothing arrived if they may arrive [${name}]`, async () => {
    await using job = await openJob({ files: manyFiles(3), faults: [{ on: 'upload', do: fault }] });
    const { errors, outputs } = await expectFailure(job, { 'warn-if': 'cpu_count > 1' });
    assert.match(requestMethods(job), requests);
    assert.equal(errors.match(/It said: /g)?.length, 1, errors);
    assert.equal(outputs['gate'], 'warned');
  });

test('a full disk (507) ends the transfer, and the stats are still read', async () => {
  const faults = [{ on: 'upload', skip: 2, do: FULL }] as const;
  await using job = await openJob({ files: manyFiles(9), faults });
  const { report, errors } = await expectFailure(job, { concurrency: '1' });
  assert.equal(requestMethods(job), 'POST POST POST GET');
  const { uploaded, failed, notAttempted } = report.upload.totals;
  assert.deepEqual([uploaded, failed, notAttempted], [2, 1, 6]);
  const { error } = report.upload.files[2] ?? {};
  assert.equal(error?.kind, 'disk-full');
  assert.match(error?.hint ?? '', /disk is full/);
  assert.match(errors, /POST http:\/\/\S+\/files answered 507/);
});

test('hundreds of failed files make one annotation, and long responses are cut', async () => {
  const files = manyFiles(300);
  const faults = Object.keys(files).map((name, index) => {
    const fault = statusFault(411 + (index % 14), `${index} ${'y'.repeat(1000)}`);
    return { on: 'upload', path: name, do: fault } as const;
  });
  await using job = await openJob({ files, faults });
  const result = await expectFailure(job, { retries: '0' });
  const [error, ...others] = result.annotations('error');
  assert.deepEqual(others, []);
  assert.match(error ?? '', /^Uploaded 0 of 300 files, 300 failed/);
  assert.match(result.file('f7.txt').error?.message ?? '', /"7 y{200}/);
  assert.doesNotMatch(result.allOutput, /y{301}/);
});

test('shards together send every file once, even if their builds differ in content', async () => {
  const files = { 'large.bin': '', ...manyFiles(30) };
  await using job = await openJob({ files });
  for (const index of [1, 2, 3]) {
    job.write({ 'large.bin': 'x'.repeat(5000 + index), 'f7.txt': 'y'.repeat(index) });
    const { report, summary } = await expectSuccess(job, { shard: `${index}/3` });
    assert.deepEqual(report.upload.shard, { index, count: 3, allFiles: 31 });
    for (const text of [report.headline, summary])
      assert.ok(text.includes(`shard ${index} of 3`), text);
  }
  assert.deepEqual(uploadRequests(job).map(uploadPathOf).toSorted(), Object.keys(files).toSorted());
});

test('an upload logs up to three hidden names that it leaves out at the top of a whole folder', async () => {
  const names = ['a.txt', '.env', '.npmrc', '.x/y', '.z', '.git/config', 'sub/.env', 'sub/b.txt'];
  await using job = await openJob({ files: Object.fromEntries(names.map(name => [name, ''])) });
  const leftOut = async (files: string, more = {}) => {
    const { lines } = await expectSuccess(job, { files, 'dry-run': 'true', ...more });
    return lines.filter(line => line.startsWith('Left out, since include-hidden-files is not set'));
  };
  const [line] = await leftOut('*\n**');
  assert.match(line ?? '', /: \.env, \.npmrc, \.x, and 1 more$/);
  assert.match((await leftOut('sub'))[0] ?? '', /: sub\/\.env$/);
  assert.deepEqual(await leftOut('a.txt\nsub/*.txt\n**/b.txt'), []);
  assert.deepEqual(await leftOut('**', { 'include-hidden-files': 'true' }), []);
});

const BUILD = { 'dist/a/b.js': 'b', 'dist/a/c.map': 'c', 'dist/index.html': 'x', 'README.md': 'y' };
const CONDITIONS = { 'wait-until': 'cpu_used_pct < 1', 'fail-if': 'cpu_count > 0' };

for (const [task, more] of [
  ['sync', CONDITIONS],
  ['upload', {}],
] as const)
  test(`a dry run lists files with their targets, and needs neither sandbox nor valid proxy [${task}]`, async () => {
    await using job = await openJob({ files: BUILD });
    const none = { 'sandbox-id': '', token: '', 'base-url': '', 'dry-run': 'true' };
    const files = '# the build\ndist/** => www\n!**/c.map';
    const inputs = { ...none, ...more, files, target: '/app' };
    const env = { HTTPS_PROXY: 'not a URL' };
    const { stdout, outputs, report, summary } = await expectSuccess(job, inputs, { task, env });
    assert.match(stdout, /^.*dist\/a\/b\.js → \/app\/www\/a\/b\.js$/m);
    assert.match(summary, /^<p>✅ Dry run: 2 files \(2 B\) would be uploaded/);
    assert.deepEqual([outputs['uploaded-count'], outputs['planned-count']], ['0', '2']);
    assert.deepEqual([report.upload.dryRun, report.upload.digest], [true, '']);
    assert.deepEqual(report.sandbox, { id: '', baseUrl: '' });
    if (task === 'sync') assert.deepEqual([outputs['stats'], outputs['gate']], ['', 'none']);
  });
