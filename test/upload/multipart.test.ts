import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { Busboy } from '@fastify/busboy';
import { bodyOf, CONTENT_TYPE } from '../../src/upload/upload-body.ts';
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

type Part = readonly [field: string, filename: string, type: string, content: Buffer];

/** Reads a whole body, and parses it as a server does. */
async function parse({ chunks, length }: Body): Promise<Part[]> {
  const bytes = concatCopies(chunks);
  assert.equal(bytes.length, length);
  const parts: Promise<Part>[] = [];
  const busboy = new Busboy({ headers: { 'content-type': CONTENT_TYPE }, preservePath: true });
  busboy.on('file', (field, stream, filename, _encoding, type) => {
    parts.push(buffer(stream).then(content => [field, filename, type, content]));
  });
  busboy.on('field', name => assert.fail(`a field ${name}`));
  busboy.end(bytes);
  await once(busboy, 'finish');
  return await Promise.all(parts);
}

test('a body contains files of any size unchanged, and has their SHA-256', async () => {
  using folder = openTempFolder();
  const sizes = [0, 1, 1000, LARGE_BYTES - 1, LARGE_BYTES, 5 * LARGE_BYTES];
  const contents = sizes.map(distinctBytes);
  const files = contents.map((content, index) => folder.writePlanned(`ü/${index}`, content));
  const body = bodyOf(files, true);
  const type = 'application/octet-stream';
  const expected = contents.map((content, index) => ['file', `ü/${index}`, type, content]);
  assert.deepEqual(await parse(body), expected);
  const digests = contents.map(content => hash('sha256', content));
  assert.deepEqual(body.digests, digests);
  assert.equal(countOpenFiles(folder.path), 0);
});

test('a body is sent in chunks of at most 256 KiB of a file, the last of which is the multipart tail', () => {
  using folder = openTempFolder();
  const { chunks } = bodyOf([folder.writePlanned('a', distinctBytes(LARGE_BYTES))], false);
  const lengths = Array.from(chunks, chunk => chunk.length);
  const head = 256;
  assert.ok(Math.max(...lengths) <= 256 * 1024 + head);
  assert.deepEqual(lengths.slice(1), [1, TAIL.length]);
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

const FILENAMES: Readonly<Record<string, string>> = {
  '/srv/www/a.txt': '/srv/www/a.txt',
  "a'b;c=d%22e": "a'b;c=d%22e",
  'ünï/日本/😀': 'ünï/日本/😀',
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
    const [[, name, , content] = []] = await parse(body);
    assert.deepEqual([name, String(content)], [received, 'content']);
  }
});

test('each process has another multipart boundary', async () => {
  assert.ok(BOUNDARY.length > 20 && BOUNDARY.length <= 70);
  const again = await import(import.meta.resolve('../../src/upload/upload-body.ts?again'));
  assert.notEqual(again.CONTENT_TYPE, CONTENT_TYPE);
});
