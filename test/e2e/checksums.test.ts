import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { expectSuccess } from '../support/run-action.ts';
import { skipUnlessLinux } from '../support/system.ts';
import { type Files, manyFiles, openJob, type TestJob } from '../support/test-job.ts';

// JavaScript sorts 😀 before U+FF5E (by UTF-16 code units), LC_ALL=C after it (by bytes).
const NAMES = ['a b', 'ü', '～', '😀', '-n', '*', 'back\\slash', 'line\nbreak', 'cr\rx', '\\n'];

const FILES: Files = {
  'index.html': '<p>',
  empty: '',
  'same.html': '<p>',
  'deep/er/large.bin': randomBytes(600 * 1024),
  ...Object.fromEntries(NAMES.map(name => [`${name}/x`, 'x'])),
};

/** Computes the digest of the files in the sandbox with the command in the docs. */
function digestOf({ root }: TestJob): string {
  const script = `set -eo pipefail; find . -type f -printf '%P\\0' | xargs -0 sha256sum -- | LC_ALL=C sort | sha256sum`;
  const cwd = path.join(root, 'home/user');
  return `sha256:${execFileSync('bash', ['-c', script], { cwd, encoding: 'utf8' }).slice(0, 64)}`;
}

test('checksums and digest are what find, sha256sum and sort compute in the sandbox, also after a partial upload', {
  skip: skipUnlessLinux('needs find, sha256sum and sort of GNU'),
}, async () => {
  await using job = await openJob({ files: { ...manyFiles(30), ...FILES } });
  const inputs = { 'state-file': '.state.json', checksums: 'true' };
  const batched = { ...inputs, 'files-per-request': '250' };
  assert.equal((await expectSuccess(job, batched)).outputs['digest'], digestOf(job));
  job.write({ 'f3.txt': 'other' });
  const { outputs, report, stdout, file } = await expectSuccess(job, inputs);
  const digest = digestOf(job);
  assert.deepEqual([outputs['uploaded-count'], outputs['digest']], ['1', digest]);
  assert.equal(report.upload.digest, digest);
  assert.ok(stdout.includes(digest));
  assert.equal(file('index.html').sha256, hash('sha256', '<p>'));

  // The sandbox's `/` is a folder here, so make absolute paths relative to it.
  const list = readFileSync(outputs['checksums'] ?? '', 'utf8').replaceAll('  /', '  ./');
  const options = { cwd: job.root, input: list, stdio: 'pipe' } as const;
  const check = () => execFileSync('sha256sum', ['-c', '--strict', '--quiet'], options);
  assert.equal(list.split('\n').length - 1, Object.keys(FILES).length + 30);
  check();
  writeFileSync(path.join(job.root, 'home/user/index.html'), 'other');
  assert.throws(check, /1 computed checksum did NOT match/);
});
