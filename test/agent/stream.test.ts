import assert from 'node:assert/strict';
import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { collect, fileOf, framed, LARGE, openFile, openIn, pattern } from './bodies.ts';

describe('a file that changes while it is sent', () => {
  test('keeps to the announced length where it grows', async () => {
    const content = pattern(LARGE);
    using file = fileOf(content);
    const body = await openFile(file.path, LARGE);
    appendFileSync(file.path, 'more');
    assert.ok((await collect(body)).equals(framed({ file: content })));
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
  test(`a large file is let go of on close, ${stop}`, { skip: process.platform !== 'linux' }, async () => {
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
