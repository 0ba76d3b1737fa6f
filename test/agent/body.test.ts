import assert from 'node:assert/strict';
import { appendFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { type Body, bodyOpener, SHARED_BYTES, sharedBytes } from '../../src/agent/body.ts';
import { BUFFER_BYTES } from '../../src/agent/file.ts';
import { unlessLinux } from '../system.ts';
import { collect, FORM, fileOf, framed, LARGE, LARGEST_BUFFERED, openFile, openIn, pattern } from './bodies.ts';

const SIZES = [0, 1, 1000, LARGEST_BUFFERED - 1, LARGEST_BUFFERED, LARGEST_BUFFERED + 1, LARGE, 5 * BUFFER_BYTES + 3];

const sizes = ({ parts }: Body) => parts.map(({ size }) => size);

// Also of a file that has changed since the plan: it is sent as it is now.
describe('a body holds the file, byte for byte, in its frame', () => {
  for (const planned of [10, LARGE]) {
    for (const size of SIZES) {
      test(`of ${size} bytes, planned as ${planned}`, async () => {
        const content = pattern(size);
        using file = fileOf(content);
        const body = await openFile(file.path, planned);
        assert.equal(Buffer.isBuffer(body.content), planned === 10 && size <= LARGEST_BUFFERED);
        assert.deepEqual(sizes(body), [size]);
        const expected = framed({ file: content });
        assert.equal(body.length, expected.length);
        assert.ok((await collect(body)).equals(expected));
        await body.close(true);
      });
    }
  }
});

/** Files of these contents, as planned, in a directory that is removed with them. */
function plan(contents: Readonly<Record<string, Buffer | string>>) {
  const place = fileOf('');
  const at = (name: string) => path.join(path.dirname(place.path), name);
  const files = Object.entries(contents).map(([target, content]) => {
    writeFileSync(at(target), content);
    return { realPath: at(target), target, size: content.length };
  });
  return { files, at, [Symbol.dispose]: () => place[Symbol.dispose]() };
}

const openAll = bodyOpener(FORM, false);

describe('a body of several files', () => {
  test('holds each as a part, byte for byte, as they are now', async () => {
    using planned = plan({ a: 'one', b: '', c: 'two\r\n' });
    writeFileSync(planned.at('a'), 'longer than before');
    const body = await openAll(planned.files);
    const expected = framed({ a: 'longer than before', b: '', c: 'two\r\n' });
    assert.deepEqual(body.content, expected);
    assert.equal(body.length, expected.length);
    assert.deepEqual(sizes(body), [18, 0, 5]);
  });

  test('leaves out what cannot be read, leads elsewhere now, or does not fit any more', async () => {
    const most = pattern(SHARED_BYTES - 1000);
    using planned = plan({ gone: '1', link: '2', most, large: '3', fine: '4' });
    for (const name of ['gone', 'link']) rmSync(planned.at(name));
    symlinkSync(planned.at('fine'), planned.at('link'));
    writeFileSync(planned.at('large'), 'x'.repeat(2000));
    const body = await openAll(planned.files);
    assert.deepEqual(body.content, framed({ most, fine: '4' }));
    assert.deepEqual(sizes(body), [most.length, 1]);
  });

  test('has no parts where none can be read', async () => {
    using planned = plan({ a: '1', b: '2' });
    for (const { realPath } of planned.files) rmSync(realPath);
    assert.deepEqual((await openAll(planned.files)).parts, []);
  });

  test('has room for all that its files were said to take', async () => {
    const size = BUFFER_BYTES - 300;
    const content = pattern(size);
    using planned = plan({ a: content, 'a longer name': content, c: content, d: content });
    const said = planned.files.reduce((sum, file) => sum + (sharedBytes(file) ?? 0), 0);
    assert.ok(said <= SHARED_BYTES);
    assert.equal((await openAll(planned.files)).parts.length, 4);
  });
});

describe('what a file takes in a shared body', () => {
  const bytesOf = (target: string, size = 1) => sharedBytes({ realPath: '/a', target, size });

  test('is known where every parser reads its name alike', () => {
    for (const target of ['ü', 'a"b', 'a\\b', 'a%b', 'a;b', 'a\nb', ' a', 'a ', 'a\u007f', ''])
      assert.equal(bytesOf(target), undefined, JSON.stringify(target));
    for (const target of ['a', 'a b', "it's(1)!*~.txt", '/srv/a=b&c,d', '#+?$@^`{|}[]<>:'])
      assert.ok(bytesOf(target), target);
  });

  test('is known of small files only', () => {
    assert.deepEqual([bytesOf('a', BUFFER_BYTES) === undefined, bytesOf('a', LARGE)], [false, undefined]);
  });
});

describe('the buffers of a body are used again once it was sent, and only then', () => {
  /** The memory that a body is read into. */
  const memoryOf = async ({ content }: Body) => {
    const pieces = new Set<unknown>();
    for await (const piece of Buffer.isBuffer(content) ? [content] : content)
      if (piece.length > 1000) pieces.add(piece.buffer);
    return pieces;
  };
  for (const [name, contents] of Object.entries({
    'of a small file': { a: pattern(2000) },
    'of a large file': { a: pattern(3 * LARGE) },
    'of several files': { a: pattern(2000), b: pattern(2000) },
  })) {
    test(name, async () => {
      using planned = plan(contents);
      const open = bodyOpener(FORM, false);
      const once = async (sent: boolean) => {
        const body = await open(planned.files);
        const memory = await memoryOf(body);
        await body.close(sent);
        return memory;
      };
      const failed = await once(false);
      const sent = await once(true);
      assert.ok(failed.size > 0 && failed.isDisjointFrom(sent));
      assert.deepEqual(await once(true), sent);
    });
  }
});

describe('a file that changes while it is sent', () => {
  test('is a failure that may pass where it grows', async () => {
    const content = pattern(LARGE);
    using file = fileOf(content);
    const body = await openFile(file.path, LARGE);
    appendFileSync(file.path, 'more');
    await assert.rejects(collect(body), { kind: 'file-changed', retryable: true });
    await body.close(true);
  });

  test('is a failure that may pass where it becomes shorter', async () => {
    using file = fileOf(pattern(4 * LARGE));
    const body = await openFile(file.path, 4 * LARGE);
    truncateSync(file.path, LARGE);
    const error = { kind: 'file-changed', retryable: true, message: new RegExp(`by ${3 * LARGE} bytes`) };
    await assert.rejects(collect(body), error);
    await body.close(true);
  });

  test('is the one opened where another is put in its place', async () => {
    const content = pattern(LARGE);
    using file = fileOf(content);
    const body = await openFile(file.path, LARGE);
    renameSync(file.path, `${file.path}.old`);
    writeFileSync(file.path, 'another');
    assert.ok((await collect(body)).equals(framed({ file: content })));
    await body.close(true);
  });
});

for (const stop of ['at its end', 'in the middle']) {
  test(`a large file is let go of on close, ${stop}`, { skip: unlessLinux('needs /proc') }, async () => {
    using file = fileOf(pattern(4 * LARGE));
    const body = await openFile(file.path, 4 * LARGE);
    assert.ok(!Buffer.isBuffer(body.content));
    let count = 0;
    for await (const _ of body.content) if (++count === 2 && stop === 'in the middle') break;
    assert.equal(openIn(file.path), 1);
    await body.close(true);
    assert.equal(openIn(file.path), 0);
  });
}
