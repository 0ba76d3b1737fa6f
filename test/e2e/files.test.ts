import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { WINDOWS, WITHOUT_MODES } from '../system.ts';
import { assertDelivered, type Result } from './result.ts';
import { expectFailure, expectSuccess, uploadRequests } from './run-action.ts';
import { type Files, openJob } from './test-job.ts';

const FILES: Files = {
  'dist/a/b.js': 'b',
  'dist/index.html': 'index',
  'dist/.well-known/x': 'x',
  'dist/.env': 'e',
  'packages/foo/dist/foo.js': 'foo',
  'packages/bar/dist/sub/bar.js': 'bar',
  'README.md': 'read',
  '.git/config': 'secret',
  '.env': 'secret',
};

/** Lines of `files`, all used in one run: the paths in the sandbox, each with its source. */
const LINES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'dist/** => 1': { '1/a/b.js': 'dist/a/b.js', '1/index.html': 'dist/index.html' },
  'dist => 2': { '2/a/b.js': 'dist/a/b.js', '2/index.html': 'dist/index.html' },
  'dist/**/.well-known/** => 3': { '3/.well-known/x': 'dist/.well-known/x' },
  'packages/*/dist/** => 4': {
    '4/foo/dist/foo.js': 'packages/foo/dist/foo.js',
    '4/bar/dist/sub/bar.js': 'packages/bar/dist/sub/bar.js',
  },
  'README.md': { 'README.md': 'README.md' },
  'README.md => doc/read.me': { 'doc/read.me': 'README.md' },
  'README.md => /srv/doc/': { '/srv/doc/README.md': 'README.md' },
  'dist/*.html => www': { 'www/index.html': 'dist/index.html' },
  '.env => 5/': { '5/.env': '.env' },
  'dist/.env => 6/': { '6/.env': 'dist/.env' },
  '.git/** => 7': { '7/config': '.git/config' },
};

/** The path of each file in the sandbox, with its source. */
function sourceByPath({ report }: Result): Readonly<Record<string, string>> {
  return Object.fromEntries(report.files.map(file => [file.path ?? file.status, file.source]));
}

test('each line of files uploads to its target, and hidden files only if the line names them', async () => {
  await using job = await openJob({ files: FILES });
  chmodSync(path.join(job.workspace, 'dist/index.html'), 0o755);
  const result = await expectSuccess(job, { files: Object.keys(LINES).join('\n'), target: 't' });
  const expected = Object.values(LINES).flatMap(line =>
    Object.entries(line).map(([place, source]) => [
      path.posix.resolve('/home/user/t', place),
      source,
    ]),
  );
  assert.deepEqual(sourceByPath(result), Object.fromEntries(expected));
  assertDelivered(job, result);
  // Windows has no modes.
  if (!WINDOWS) assert.match(result.annotations('notice').join(), /executable.*dist\/index\.html/);
});

test('files may have comments and excludes, and a file that two lines match is sent once', async () => {
  await using job = await openJob({ files: FILES });
  const result = await expectSuccess(job, {
    files: '# all but one\n**\n\n!**/*.html\n**/b.js',
    'working-directory': 'dist',
    'include-hidden-files': 'true',
  });
  assert.deepEqual(sourceByPath(result), {
    '/home/user/a/b.js': 'dist/a/b.js',
    '/home/user/.well-known/x': 'dist/.well-known/x',
    '/home/user/.env': 'dist/.env',
  });
  assert.equal(uploadRequests(job).length, 3);
});

test('a dry run lists files with their targets, and sends nothing', async () => {
  await using job = await openJob({ files: FILES });
  const { stdout, outputs, report, summary } = await expectSuccess(job, {
    files: 'dist/**',
    target: '/app',
    'dry-run': 'true',
    'wait-until': 'cpu_used_pct < 1',
    'fail-if': 'cpu_count > 0',
  });
  assert.equal(job.agent.connections(), 0);
  assert.match(stdout, /^.*dist\/a\/b\.js → \/app\/a\/b\.js$/m);
  assert.match(summary, /^<h3>✅ .*Dry run: 2 files [\s\S]*\/app/);
  assert.deepEqual([outputs['uploaded-count'], outputs['skipped-count']], ['0', '2']);
  assert.deepEqual([report.dryRun, outputs['stats'], outputs['gate']], [true, '', 'none']);
  assert.equal(report.digest, '');
});

const NEEDS_MODES = process.getuid?.() === 0 ? 'root reads all' : WITHOUT_MODES;

for (const [name, mode, inputs] of [
  ['a folder that may be entered but not listed', 0o311, { files: 'dist/none' }],
  ['a working-directory that cannot be entered', 0, { 'working-directory': 'dist/a' }],
] as const) {
  test(`${name} is a plain error that names it`, { skip: NEEDS_MODES }, async () => {
    await using job = await openJob({ files: FILES });
    const folder = path.join(job.workspace, 'dist');
    chmodSync(folder, mode);
    const { errors } = await expectFailure(job, inputs);
    chmodSync(folder, 0o755);
    assert.match(errors, /EACCES: permission denied, .*\/dist/);
  });
}

test('a pattern that matches no file is a warning with if-no-files-found: warn', async () => {
  await using job = await openJob();
  const inputs = { files: 'nope/*.js', 'if-no-files-found': 'warn' };
  const { warnings, outputs, summary } = await expectSuccess(job, inputs);
  assert.match(warnings, /"nope\/\*\.js"/);
  assert.equal(outputs['uploaded-count'], '0');
  assert.match(summary, /^<h3>⚠️ .*no files/);
});
