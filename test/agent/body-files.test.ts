import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { BUFFER_BYTES, openBody } from '../../src/agent/body.ts';
import { bufferPool } from '../../src/agent/buffer-pool.ts';
import { AgentError } from '../../src/agent/failure.ts';
import { FRAME, fileOf, LARGE, openFile, pattern } from './bodies.ts';

/** How often this process holds a file open; 0 where the system does not tell. */
function timesOpen(file: string): number {
  if (process.platform !== 'linux') return 0;
  const descriptors = readdirSync('/proc/self/fd');
  return descriptors.filter(descriptor => linkOf(`/proc/self/fd/${descriptor}`) === file).length;
}

function linkOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch {
    return '';
  }
}

describe('what is no readable file', { skip: process.platform === 'win32' }, () => {
  const places: Readonly<Record<string, (file: string) => void>> = {
    'a missing file': () => {},
    'a link': file => symlinkSync('/etc/passwd', file),
    'a link to a file beside it': file => symlinkSync(path.basename(import.meta.filename), file),
    'a pipe': file => execFileSync('mkfifo', [file]),
    'a directory': file => mkdirSync(file),
  };
  for (const [name, put] of Object.entries(places)) {
    for (const planned of [1, LARGE]) {
      test(`${name} in the place of a file of ${planned} bytes`, async () => {
        using file = fileOf('content');
        rmSync(file.path);
        put(file.path);
        await assert.rejects(openFile(file.path, planned), (error: unknown) => {
          assert.ok(error instanceof AgentError);
          assert.equal(error.kind, 'file-unreadable');
          assert.equal(error.retryable, false);
          assert.equal(error.final, false);
          return true;
        });
        assert.equal(timesOpen(file.path), 0);
      });
    }
  }

  test('the message names the file and says why', async () => {
    using file = fileOf('');
    rmSync(file.path);
    const message = `${file.path} cannot be read (ENOENT).`;
    await assert.rejects(openFile(file.path, 1), { message });
  });

  test('one that is no file any more is named too', async () => {
    using file = fileOf('');
    rmSync(file.path);
    mkdirSync(file.path);
    await assert.rejects(openFile(file.path, 1), (error: unknown) => {
      assert.ok(error instanceof AgentError);
      return error.message.includes(file.path);
    });
  });
});

describe('the file is let go of', { skip: process.platform !== 'linux' }, () => {
  test('at once, where it is small', async () => {
    using file = fileOf('content');
    await openFile(file.path, 7);
    assert.equal(timesOpen(file.path), 0);
  });

  test('on close, where it is large', async () => {
    using file = fileOf(pattern(LARGE));
    const opened = await openFile(file.path, LARGE);
    assert.equal(timesOpen(file.path), 1);
    await opened.close(true);
    assert.equal(timesOpen(file.path), 0);
  });

  test('on close, also in the middle', async () => {
    using file = fileOf(pattern(4 * LARGE));
    const opened = await openFile(file.path, 4 * LARGE);
    assert.ok(!Buffer.isBuffer(opened.body));
    const pieces = opened.body[Symbol.asyncIterator]();
    await pieces.next();
    await pieces.next();
    await opened.close(true);
    assert.equal(timesOpen(file.path), 0);
  });
});

for (const size of [10, LARGE]) {
  test(`the buffers of a body of ${size} bytes are used again once it was sent, and only then`, async () => {
    using file = fileOf(pattern(size));
    const pool = bufferPool(BUFFER_BYTES);
    const taken: Buffer[] = [];
    const watched = { ...pool, take: () => taken[taken.push(pool.take()) - 1] ?? pool.take() };
    const open = () => openBody({ path: file.path, plannedSize: size, frame: FRAME, pool: watched });
    await (await open()).close(false);
    await (await open()).close(true);
    const [kept, again] = [taken.slice(0, taken.length / 2), taken.slice(taken.length / 2)];
    assert.ok(kept.every(buffer => !again.includes(buffer)));
    assert.ok(again.includes(pool.take()));
  });
}
