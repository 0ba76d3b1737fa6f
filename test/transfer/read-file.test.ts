import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, rmSync, truncateSync } from 'node:fs';
import { test } from 'node:test';
import type { PlannedFile } from '../../src/files/plan.ts';
import { hashFile, openFile } from '../../src/transfer/read-file.ts';
import { WITHOUT_MODES } from '../system.ts';
import {
  countOpenFiles,
  distinctBytes,
  LARGE_BYTES,
  openTempFolder,
  type TempFolder,
} from './temp-folder.ts';

const NEVER = new AbortController().signal;

const CHANGES: Readonly<
  Record<string, readonly [change: (file: PlannedFile, folder: TempFolder) => void, says: RegExp]>
> = {
  'has grown': [({ realPath }) => appendFileSync(realPath, 'x'), /has 4 bytes instead of the 3 /],
  'has shrunk': [({ realPath }) => truncateSync(realPath, 1), /has 1 bytes instead of the 3 /],
  'is gone': [({ realPath }) => rmSync(realPath), /cannot be read \(ENOENT\)/],
  'has become a folder': [
    ({ realPath }) => {
      rmSync(realPath);
      mkdirSync(realPath);
    },
    /has \d+ bytes instead of the 3 |EISDIR|EPERM/,
  ],
};

for (const [name, [change, message]] of Object.entries(CHANGES)) {
  test(`a file that ${name} fails and is not retried`, async () => {
    using folder = openTempFolder();
    const file = folder.writePlanned('a', 'abc');
    change(file, folder);
    const error = { kind: 'file-changed', isRetryable: false, message };
    assert.throws(() => openFile(file), error);
    await assert.rejects(hashFile(file, NEVER), error);
    assert.equal(countOpenFiles(folder.path), 0);
  });
}

test('a file without read permission fails', {
  skip: process.getuid?.() === 0 || WITHOUT_MODES,
}, () => {
  using folder = openTempFolder();
  const file = folder.writePlanned('a', 'abc');
  chmodSync(file.realPath, 0);
  assert.throws(() => openFile(file), { kind: 'file-changed', message: /EACCES/ });
});

test('a file that shrinks while it is read fails', () => {
  using folder = openTempFolder();
  const file = folder.writePlanned('a', distinctBytes(4 * LARGE_BYTES));
  using opened = openFile(file);
  opened.chunks.next();
  truncateSync(file.realPath, LARGE_BYTES);
  const missing = 3 * LARGE_BYTES;
  const message = RegExp(` shrank by ${missing} bytes during the upload\\.$`);
  assert.throws(() => [...opened.chunks], { kind: 'file-changed', message });
});

test('hashFile returns the SHA-256 of the whole file, and closes it', async () => {
  using folder = openTempFolder();
  const content = distinctBytes(5 * LARGE_BYTES + 3);
  const sha256 = createHash('sha256').update(content).digest('hex');
  assert.equal(await hashFile(folder.writePlanned('a', content), NEVER), sha256);
  assert.equal(countOpenFiles(folder.path), 0);
});

test('hashFile ends when the job is cancelled, and closes the file', async () => {
  using folder = openTempFolder();
  const file = folder.writePlanned('a', distinctBytes(3 * LARGE_BYTES));
  assert.equal(await hashFile(file, AbortSignal.abort()), undefined);
  assert.equal(countOpenFiles(folder.path), 0);
});
