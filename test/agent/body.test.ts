import assert from 'node:assert/strict';
import {
  appendFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { Busboy } from '@fastify/busboy';
import { BATCH_BYTES, type Body, batchBytes, newForm, readBatch } from '../../src/agent/body.ts';
import { SMALL_BYTES } from '../../src/agent/read-file.ts';
import { unlessLinux } from '../system.ts';
import { collect, FORM, fileOf, found, framed, LARGE, open, openIn, pattern } from './bodies.ts';

const SIZES = [0, 1, 1000, SMALL_BYTES - 1, SMALL_BYTES, LARGE, 5 * SMALL_BYTES + 3];

const sizes = ({ parts }: Body) => parts.map(({ size }) => size);

// A file that has changed since the plan is sent as it is now.
describe('a body holds the file, byte for byte, in its frame', () => {
  for (const planned of [10, LARGE]) {
    for (const size of SIZES) {
      test(`of ${size} bytes, planned as ${planned}`, async () => {
        const content = pattern(size);
        using file = fileOf(content);
        const body = await open(found(file.path, planned));
        assert.deepEqual(sizes(body), [size]);
        const expected = framed({ file: content });
        assert.equal(body.length, expected.length);
        assert.ok((await collect(body)).equals(expected));
        await body.close();
      });
    }
  }

  test('in chunks that each count as progress', async () => {
    using file = fileOf(pattern(SMALL_BYTES));
    const body = await open(found(file.path, SMALL_BYTES));
    for await (const chunk of body.chunks) assert.ok(chunk.length <= 64 * 1024);
  });
});

/** Plans files with these contents, in a directory that is removed with them. */
function plan(contents: Readonly<Record<string, Buffer | string>>) {
  const place = fileOf('');
  const at = (name: string) => path.join(path.dirname(place.path), name);
  const files = Object.entries(contents).map(([target, content]) => {
    writeFileSync(at(target), content);
    return found(at(target), content.length, target);
  });
  return { files, at, [Symbol.dispose]: () => place[Symbol.dispose]() };
}

describe('a batch', () => {
  test('holds each file as a part, byte for byte, as it is now', async () => {
    using planned = plan({ a: 'one', b: '', c: 'two\r\n' });
    writeFileSync(planned.at('a'), '1+');
    const body = readBatch(planned.files, FORM);
    const expected = framed({ a: '1+', b: '', c: 'two\r\n' });
    assert.deepEqual(await collect(body), expected);
    assert.equal(body.length, expected.length);
    assert.deepEqual(sizes(body), [2, 0, 5]);
  });

  test('takes a file that has grown into the room that others leave', async () => {
    using planned = plan({ a: 'one', b: 'a longer one' });
    writeFileSync(planned.at('a'), 'longer');
    const body = readBatch(planned.files, FORM);
    assert.deepEqual(await collect(body), framed({ a: 'longer', b: 'a longer one' }));
  });

  test('leaves out what cannot be read, is another file now, or does not fit any more', async () => {
    using planned = plan({ gone: '1', link: '2', replaced: '3', large: '4', fine: '5' });
    for (const name of ['gone', 'link']) rmSync(planned.at(name));
    symlinkSync(planned.at('fine'), planned.at('link'));
    renameSync(planned.at('replaced'), planned.at('old'));
    writeFileSync(planned.at('replaced'), '3');
    writeFileSync(planned.at('large'), 'x'.repeat(2000));
    const body = readBatch(planned.files, FORM);
    assert.deepEqual(await collect(body), framed({ fine: '5' }));
    assert.deepEqual(sizes(body), [1]);
  });

  test('has no parts if no file can be read', () => {
    using planned = plan({ a: '1', b: '2' });
    for (const { realPath } of planned.files) rmSync(realPath);
    assert.deepEqual(readBatch(planned.files, FORM).parts, []);
  });

  test('has room for all that its files were said to take', () => {
    const size = SMALL_BYTES - 300;
    const content = pattern(size);
    using planned = plan({ a: content, 'a longer name': content, c: content, d: content });
    const said = planned.files.reduce((sum, file) => sum + (batchBytes(file) ?? 0), 0);
    assert.ok(said <= BATCH_BYTES);
    const body = readBatch(planned.files, FORM);
    assert.equal(body.parts.length, 4);
    assert.ok(body.length <= said);
  });
});

describe('what a file takes in a batch', () => {
  const bytesOf = (target: string, size = 1) =>
    batchBytes({ realPath: '/a', identity: '1:1', target, size });

  test('is known if every parser reads its name alike', () => {
    for (const target of ['ü', 'a"b', 'a\\b', 'a%b', 'a;b', 'a\nb', ' a', 'a ', 'a\u007f', ''])
      assert.equal(bytesOf(target), undefined, JSON.stringify(target));
    for (const target of ['a//b', './a', '../a', 'a/./b', 'a/..'])
      assert.equal(bytesOf(target), undefined, target);
    for (const target of [
      'a',
      'a b',
      "it's(1)!*~.txt",
      '/srv/a=b&c,d',
      '#+?$@^`{|}[]<>:',
      '.a/..b',
    ])
      assert.ok(bytesOf(target), target);
  });

  test('is known of small files only', () => {
    assert.notEqual(bytesOf('a', SMALL_BYTES), undefined);
    assert.equal(bytesOf('a', LARGE), undefined);
  });
});

test('no memory of a body is used again for another request', async () => {
  const memoryOf = async (body: Body) => {
    const memory = new Set<unknown>();
    for await (const chunk of body.chunks) if (chunk.length > 1000) memory.add(chunk.buffer);
    await body.close();
    return memory;
  };
  for (const size of [2000, 3 * LARGE]) {
    using planned = plan({ a: pattern(size) });
    const [file] = planned.files;
    assert.ok(file !== undefined);
    const [first, second] = [await memoryOf(await open(file)), await memoryOf(await open(file))];
    assert.ok(first.size > 0 && first.isDisjointFrom(second));
  }
  using planned = plan({ a: pattern(2000), b: pattern(2000) });
  const first = await memoryOf(readBatch(planned.files, FORM));
  assert.ok(first.isDisjointFrom(await memoryOf(readBatch(planned.files, FORM))));
});

describe('a file that changes while it is sent', () => {
  test('is a retryable failure if it grows', async () => {
    const content = pattern(LARGE);
    using file = fileOf(content);
    const body = await open(found(file.path, LARGE));
    appendFileSync(file.path, 'more');
    await assert.rejects(collect(body), { kind: 'file-changed', isRetryable: true });
    await body.close();
  });

  test('is a retryable failure if it shrinks', async () => {
    using file = fileOf(pattern(4 * LARGE));
    const body = await open(found(file.path, 4 * LARGE));
    truncateSync(file.path, LARGE);
    const error = {
      kind: 'file-changed',
      isRetryable: true,
      message: new RegExp(`by ${3 * LARGE} bytes`),
    };
    await assert.rejects(collect(body), error);
    await body.close();
  });

  test('is a retryable failure if its content changes, its size and times restored', async () => {
    using file = fileOf(pattern(4 * LARGE));
    utimesSync(file.path, 1, 1);
    const body = await open(found(file.path, 4 * LARGE));
    const iterator = body.chunks[Symbol.asyncIterator]();
    await iterator.next();
    writeFileSync(file.path, 'other', { flag: 'r+' });
    utimesSync(file.path, 1, 1);
    const rest = { chunks: { [Symbol.asyncIterator]: () => iterator } };
    const error = {
      kind: 'file-changed',
      isRetryable: true,
      message: /changed while it was read\.$/,
    };
    await assert.rejects(collect(rest), error);
    await body.close();
  });

  test('is a retryable failure if another is put in its place', async () => {
    using file = fileOf(pattern(LARGE));
    const body = await open(found(file.path, LARGE));
    renameSync(file.path, `${file.path}.old`);
    writeFileSync(file.path, 'another');
    await assert.rejects(collect(body), { kind: 'file-changed', isRetryable: true });
    await body.close();
  });
});

for (const stop of ['at its end', 'in the middle']) {
  test(`a large file is let go of on close, ${stop}`, {
    skip: unlessLinux('needs /proc'),
  }, async () => {
    using file = fileOf(pattern(4 * LARGE));
    const body = await open(found(file.path, 4 * LARGE));
    let count = 0;
    for await (const _ of body.chunks) if (++count === 2 && stop === 'in the middle') break;
    assert.equal(openIn(file.path), 1);
    await body.close();
    assert.equal(openIn(file.path), 0);
  });
}

/** A part as a Node server parses it. */
interface ParsedPart {
  readonly field: string;
  readonly filename: string;
  readonly contentType: string;
  readonly content: string;
}

async function parse(contentType: string, body: Buffer): Promise<ParsedPart[]> {
  const parts: ParsedPart[] = [];
  await new Promise((resolve, reject) => {
    const busboy = new Busboy({ headers: { 'content-type': contentType }, preservePath: true });
    busboy.on('file', (field, stream, filename, _encoding, type) => {
      let content = '';
      stream.setEncoding('latin1');
      stream.on('data', (text: string) => {
        content += text;
      });
      stream.on('end', () => parts.push({ field, filename, contentType: type, content }));
    });
    busboy.on('field', name => reject(new Error(`a field ${name}`)));
    busboy.on('finish', resolve);
    busboy.on('error', reject);
    busboy.end(body);
  });
  return parts;
}

function partsOf(filename: string, ...contents: readonly string[]): Promise<ParsedPart[]> {
  const { contentType, head, tail } = newForm();
  const pieces = contents.flatMap((content, index) => [
    Buffer.from(index > 0 ? '\r\n' : ''),
    head(filename),
    Buffer.from(content, 'latin1'),
  ]);
  return parse(contentType, Buffer.concat([...pieces, tail]));
}

const UNCHANGED = [
  'a.txt',
  'app/a/b.txt',
  '/srv/www/a.txt',
  'a b',
  "a'b",
  'a;b=c',
  'a%22b',
  'ünï/日本/😀',
];
const FILENAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(UNCHANGED.map(name => [name, name])),
  // form-data takes a backslash for a Windows separator. The query has the true target, and batches
  // exclude such names.
  'a\\b': 'a/b',
  'a\\\\b\\': 'a//b/',
  'a\\"b': 'a/%22b',
  'a"b': 'a%22b',
  '"': '%22',
  'a\nb': 'a%0Ab',
  'a\r\nContent-Type: text/html\r\n\r\nb': 'a%0D%0AContent-Type: text/html%0D%0A%0D%0Ab',
};

describe('a form has a part', () => {
  for (const [filename, received] of Object.entries(FILENAMES)) {
    test(`with the filename ${JSON.stringify(filename)}`, async () => {
      const [part] = await partsOf(filename, 'content');
      const type = { field: 'file', contentType: 'application/octet-stream' };
      assert.deepEqual(part, { ...type, filename: received, content: 'content' });
    });
  }

  test('for each file, whatever is in it', async () => {
    const contents = ['', '\r\n', '--', '\r\n--\r\n', '\0\u00ff'.repeat(1000)];
    const read = await partsOf('a', ...contents);
    const found = read.map(({ content }) => content);
    assert.deepEqual(found, contents);
  });
});

test('the bytes are those of RFC 7578', () => {
  const { contentType, head, tail } = newForm();
  const [, boundary = ''] =
    /^multipart\/form-data; boundary=(-*[0-9a-zA-Z]+)$/.exec(contentType) ?? [];
  assert.ok(boundary.length > 20 && boundary.length <= 70);
  const expected = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="file"; filename="ü/a"',
    'Content-Type: application/octet-stream',
    '',
    '',
  ];
  assert.equal(head('ü/a').toString(), expected.join('\r\n'));
  assert.equal(tail.toString(), `\r\n--${boundary}--\r\n`);
});

test('each form has a boundary of its own', () => {
  const boundaries = Array.from({ length: 100 }, () => newForm().contentType);
  assert.equal(new Set(boundaries).size, 100);
});
