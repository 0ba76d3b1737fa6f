import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { Busboy } from '@fastify/busboy';
import { bodyOf, CONTENT_TYPE } from '../../src/upload/store-files.ts';
import {
  concatCopies,
  countOpenFiles,
  distinctBytes,
  LARGE_BYTES,
  openTempFolder,
} from '../support/temp-folder.ts';

type Body = ReturnType<typeof bodyOf>;

const [, BOUNDARY = ''] =
  /^multipart\/form-data; boundary=(-*[0-9a-zA-Z]+)$/.exec(CONTENT_TYPE) ?? [];
const TAIL = `\r\n--${BOUNDARY}--\r\n`;

interface ParsedPart {
  readonly field: string;
  readonly filename: string;
  readonly type: string;
  readonly content: Buffer;
}

async function parse(body: Buffer): Promise<ParsedPart[]> {
  const parts: Promise<ParsedPart>[] = [];
  const busboy = new Busboy({ headers: { 'content-type': CONTENT_TYPE }, preservePath: true });
  busboy.on('file', (field, stream, filename, _encoding, type) => {
    parts.push(buffer(stream).then(content => ({ field, filename, type, content })));
  });
  busboy.on('field', name => assert.fail(`a field ${name}`));
  busboy.end(body);
  await once(busboy, 'finish');
  return await Promise.all(parts);
}

function readWhole(body: Body): Buffer {
  const bytes = concatCopies(body.chunks);
  assert.equal(bytes.length, body.length);
  return bytes;
}

test('a body contains files of any size unchanged, and has their SHA-256', async () => {
  using folder = openTempFolder();
  const sizes = [0, 1, 1000, LARGE_BYTES - 1, LARGE_BYTES, 5 * LARGE_BYTES];
  const contents = sizes.map(distinctBytes);
  const files = contents.map((content, index) => folder.writePlanned(`ü/${index}`, content));
  const body = bodyOf(files, true);
  const parts = await parse(readWhole(body));
  for (const [index, { field, filename, type }] of parts.entries())
    assert.deepEqual([field, filename, type], ['file', `ü/${index}`, 'application/octet-stream']);
  const received = parts.map(({ content }) => content);
  assert.deepEqual(received, contents);
  assert.deepEqual(
    body.digests,
    contents.map(content => hash('sha256', content)),
  );
  assert.equal(countOpenFiles(folder.path), 0);
});

test('a body is sent in chunks of at most 256 KiB of a file, the last of which is the multipart tail', () => {
  using folder = openTempFolder();
  for (const size of [LARGE_BYTES - 1, LARGE_BYTES]) {
    const { chunks } = bodyOf([folder.writePlanned('a', distinctBytes(size))], false);
    const lengths = Array.from(chunks, chunk => chunk.length);
    const head = 256;
    assert.ok(lengths.length > 1 && Math.max(...lengths) <= 256 * 1024 + head);
    assert.equal(lengths.at(-1), TAIL.length);
  }
});

test('a body that is not read to its end closes its file', () => {
  using folder = openTempFolder();
  const body = bodyOf([folder.writePlanned('a', distinctBytes(4 * LARGE_BYTES))], false);
  const [head, first] = body.chunks;
  assert.ok(head !== undefined && first !== undefined);
  assert.equal(countOpenFiles(folder.path), 0);
});

test('two bodies never share memory, since a socket may still read the first', () => {
  using folder = openTempFolder();
  // 50 kB is too large for Node's buffer pool, where small buffers share memory.
  const small = folder.writePlanned('a', distinctBytes(50_000));
  const large = folder.writePlanned('b', distinctBytes(3 * LARGE_BYTES));
  const memoryOf = ({ chunks }: Body) => {
    const buffers = [...chunks];
    return new Set(buffers.filter(({ length }) => length > 1000).map(({ buffer }) => buffer));
  };
  for (const open of [() => bodyOf([small, small], true), () => bodyOf([large], true)]) {
    const first = memoryOf(open());
    assert.ok(first.size > 0 && first.isDisjointFrom(memoryOf(open())));
  }
});

const UNCHANGED = ['app/a/b.txt', '/srv/www/a.txt', "a'b", 'a;b=c', 'a%22b', 'ünï/日本/😀'];
const FILENAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(UNCHANGED.map(name => [name, name])),
  // These names lose information, so the query has the true target, and batches exclude them.
  'a\\b': 'a/b',
  'a"b': 'a%22b',
  'a\nb': 'a%0Ab',
  'a\r\nContent-Type: text/html\r\n\r\nb': 'a%0D%0AContent-Type: text/html%0D%0A%0D%0Ab',
};
test('a server reads a file name as it is, or as something that cannot break the headers', async () => {
  using folder = openTempFolder();
  for (const [filename, received] of Object.entries(FILENAMES)) {
    const body = bodyOf([folder.writePlanned(filename, 'content')], false);
    const [part] = await parse(readWhole(body));
    assert.deepEqual([part?.filename, String(part?.content)], [received, 'content']);
  }
});

test('each process has another multipart boundary', async () => {
  assert.ok(BOUNDARY.length > 20 && BOUNDARY.length <= 70);
  const again = await import(import.meta.resolve('../../src/upload/store-files.ts?again'));
  assert.notEqual(again.CONTENT_TYPE, CONTENT_TYPE);
});
