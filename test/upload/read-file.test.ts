import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import fs, { appendFileSync, rmSync, truncateSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import type { PlannedFile } from '../../src/files/targets.ts';
import { hashFile, readChunks } from '../../src/upload/upload-body.ts';
import {
  countOpenFiles,
  distinctBytes,
  LARGE_BYTES,
  openTempFolder,
} from '../support/temp-folder.ts';

const NEVER = new AbortController().signal;

type Change = readonly [change: (file: PlannedFile) => void, says: RegExp];

const CHANGES: Readonly<Record<string, Change>> = {
  grown: [({ realPath }) => appendFileSync(realPath, 'x'), /has 4 bytes instead of the 3 /],
  gone: [({ realPath }) => rmSync(realPath), /cannot be read \(ENOENT\)/],
};

for (const [name, [change, message]] of Object.entries(CHANGES)) {
  test(`a file that has changed since it was found fails and is not retried [${name}]`, async () => {
    using folder = openTempFolder();
    const file = folder.writePlanned('a', 'abc');
    change(file);
    const error = { kind: 'file-changed', isRetryable: false, message };
    assert.throws(() => readChunks(file).next(), error);
    await assert.rejects(hashFile(file, NEVER), error);
    assert.equal(countOpenFiles(folder.path), 0);
  });
}

test('a file that shrinks while it is read fails', () => {
  using folder = openTempFolder();
  const file = folder.writePlanned('a', distinctBytes(4 * LARGE_BYTES));
  const chunks = readChunks(file);
  chunks.next();
  truncateSync(file.realPath, LARGE_BYTES);
  assert.throws(() => [...chunks], { kind: 'file-changed', message: /shrank during/ });
});

test('each chunk but the last is full, even if the system reads less at once', t => {
  using folder = openTempFolder();
  const content = distinctBytes(2 * LARGE_BYTES);
  const file = folder.writePlanned('a', content);
  const read = fs.readSync;
  // A network file system may return fewer bytes than it is asked for.
  t.mock.method(fs, 'readSync', (file: number, buffer: Buffer, offset: number, length: number) =>
    read(file, buffer, offset, Math.min(length, 60_000), null),
  );
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const chunks = Array.from(readChunks(file), chunk => Buffer.from(chunk));
  const lengths = chunks.map(({ length }) => length);
  assert.deepEqual(lengths, [256 * 1024, 256 * 1024, 2]);
  assert.ok(Buffer.concat(chunks).equals(content));
});

test('hashFile returns the SHA-256 of the whole file, or undefined if cancelled, and closes it', async () => {
  using folder = openTempFolder();
  const content = distinctBytes(5 * LARGE_BYTES + 3);
  const file = folder.writePlanned('a', content);
  assert.equal(await hashFile(file, NEVER), hash('sha256', content));
  assert.equal(await hashFile(file, AbortSignal.abort()), undefined);
  assert.equal(countOpenFiles(folder.path), 0);
});
