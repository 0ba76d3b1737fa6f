import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { describe, test } from 'node:test';
import { createGzip } from 'node:zlib';
import type { PlannedFile } from '../../src/files/plan.ts';
import { SMALL_BYTES } from '../../src/transfer/batches.ts';
import { hashFile, openFile, readSmallFile } from '../../src/transfer/read-file.ts';
import { onWindows } from '../system.ts';
import { type Folder, openFolder, openIn, pattern } from './folder.ts';

const NEVER = new AbortController().signal;

const CHANGES: Readonly<
  Record<string, readonly [change: (file: PlannedFile, folder: Folder) => void, says: RegExp]>
> = {
  'has grown': [({ realPath }) => appendFileSync(realPath, 'x'), /has 4 bytes instead of the 3 /],
  'has shrunk': [({ realPath }) => truncateSync(realPath, 1), /has 1 bytes instead of the 3 /],
  'is gone': [({ realPath }) => rmSync(realPath), /cannot be read \(ENOENT\)/],
  'has become a folder': [
    ({ realPath }) => {
      rmSync(realPath);
      mkdirSync(realPath);
    },
    /is no longer a regular file|EISDIR|EPERM/,
  ],
};

const POSIX_CHANGES: typeof CHANGES = {
  'has become a link': [
    ({ realPath }) => {
      renameSync(realPath, `${realPath}.old`);
      symlinkSync(`${realPath}.old`, realPath);
    },
    /cannot be read \(ELOOP\)/,
  ],
  'has become a pipe that nobody writes': [
    ({ realPath }) => {
      rmSync(realPath);
      execFileSync('mkfifo', [realPath]);
    },
    /is no longer a regular file/,
  ],
};

describe('a file is not read, and the failure is retryable, if it', () => {
  for (const [name, [change, message]] of Object.entries({ ...CHANGES, ...POSIX_CHANGES })) {
    test(name, { skip: name in POSIX_CHANGES && onWindows('has no such files') }, async () => {
      using folder = openFolder();
      const file = folder.plan('a', 'abc');
      change(file, folder);
      const error = { kind: 'file-changed', isRetryable: true, message };
      assert.throws(() => openFile(file), error);
      assert.throws(() => readSmallFile(file, Buffer.alloc(3)), error);
      assert.equal(await hashFile(file, NEVER), undefined);
      assert.equal(openIn(folder.path), 0);
    });
  }

  test('may not be read', { skip: process.getuid?.() === 0 || onWindows('has no modes') }, () => {
    using folder = openFolder();
    const file = folder.plan('a', 'abc');
    chmodSync(file.realPath, 0);
    assert.throws(() => openFile(file), { kind: 'file-changed', message: /EACCES/ });
  });

  test('shrinks while it is read', () => {
    using folder = openFolder();
    const file = folder.plan('a', pattern(4 * SMALL_BYTES));
    const opened = openFile(file);
    const chunks = opened.chunks();
    chunks.next();
    truncateSync(file.realPath, SMALL_BYTES);
    assert.throws(() => chunks.next(), { kind: 'file-changed', message: /shrank/ });
    opened.close();
  });
});

test('streams and hashes refuse a chunk that has not been copied', () => {
  using folder = openFolder();
  const { chunks, close } = openFile(folder.plan('a', 'abc'));
  const gzip = createGzip();
  const digest = createHash('sha256');
  for (const chunk of chunks()) {
    const error = { code: 'ERR_INVALID_ARG_TYPE' };
    assert.throws(() => gzip.write(chunk), error);
    // @ts-expect-error a borrowed chunk is not a buffer
    assert.throws(() => digest.update(chunk), error);
    assert.ok(gzip.write(chunk.use(bytes => Buffer.from(bytes))));
  }
  gzip.destroy();
  close();
});

describe('a hash', () => {
  test('is that of the whole file, which is closed again', async () => {
    using folder = openFolder();
    const content = pattern(5 * SMALL_BYTES + 3);
    const sha256 = createHash('sha256').update(content).digest('hex');
    assert.equal(await hashFile(folder.plan('a', content), NEVER), sha256);
    assert.equal(openIn(folder.path), 0);
  });

  test('ends when the job is cancelled', async () => {
    using folder = openFolder();
    const file = folder.plan('a', pattern(3 * SMALL_BYTES));
    assert.equal(await hashFile(file, AbortSignal.abort()), undefined);
    assert.equal(openIn(folder.path), 0);
  });
});
