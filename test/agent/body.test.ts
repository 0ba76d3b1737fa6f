import assert from 'node:assert/strict';
import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { collect, fileOf, framed, LARGE, LARGEST_BUFFERED, openFile, pattern } from './bodies.ts';

const SIZES = [
  0,
  1,
  1000,
  LARGEST_BUFFERED - 1,
  LARGEST_BUFFERED,
  LARGE,
  2 * LARGEST_BUFFERED,
  5 * LARGEST_BUFFERED + 3,
];

describe('a body holds the file, byte for byte, in its frame', () => {
  for (const size of SIZES) {
    test(`of ${size} bytes`, async () => {
      const content = pattern(size);
      using file = fileOf(content);
      const opened = await openFile(file.path, size);
      assert.equal(Buffer.isBuffer(opened.body), size <= LARGEST_BUFFERED);
      assert.equal(opened.fileBytes, size);
      assert.equal(opened.length, size + 12);
      assert.ok((await collect(opened)).equals(framed(content)));
      await opened.close(true);
    });
  }
});

describe('a file that has changed since the plan is sent as it is now', () => {
  const cases: Readonly<Record<string, readonly [planned: number, now: number]>> = {
    'a small one that grew': [10, 1000],
    'a small one that grew large': [10, 3 * LARGE],
    'a small one that shrank': [1000, 10],
    'a large one that shrank': [2 * LARGE, LARGE],
    'a large one that became small': [LARGE, 10],
    'a large one that became empty': [LARGE, 0],
    'a large one that grew': [LARGE, 2 * LARGE],
  };
  for (const [name, [planned, now]] of Object.entries(cases)) {
    test(name, async () => {
      const content = pattern(now);
      using file = fileOf(content);
      const opened = await openFile(file.path, planned);
      assert.equal(Buffer.isBuffer(opened.body), Math.max(planned, now) <= LARGEST_BUFFERED);
      assert.equal(opened.length, now + 12);
      assert.equal(opened.fileBytes, now);
      assert.ok((await collect(opened)).equals(framed(content)));
      await opened.close(true);
    });
  }
});

describe('a file that changes while it is sent', () => {
  test('keeps to the announced length where it grows', async () => {
    const content = pattern(LARGE);
    using file = fileOf(content);
    const opened = await openFile(file.path, LARGE);
    appendFileSync(file.path, 'more');
    assert.ok((await collect(opened)).equals(framed(content)));
    await opened.close(true);
  });

  test('is a failure that may pass where it becomes shorter', async () => {
    using file = fileOf(pattern(4 * LARGE));
    const opened = await openFile(file.path, 4 * LARGE);
    truncateSync(file.path, LARGE);
    await assert.rejects(collect(opened), (error: unknown) => {
      assert.ok(error instanceof AgentError);
      assert.equal(error.kind, 'file-changed');
      assert.equal(error.retryable, true);
      assert.match(error.message, new RegExp(`by ${3 * LARGE} bytes`));
      return true;
    });
    await opened.close(true);
  });

  test('is the one opened where another is put in its place', async () => {
    const content = pattern(LARGE);
    using file = fileOf(content);
    const opened = await openFile(file.path, LARGE);
    renameSync(file.path, `${file.path}.old`);
    writeFileSync(file.path, 'another');
    assert.ok((await collect(opened)).equals(framed(content)));
    await opened.close(true);
  });
});
