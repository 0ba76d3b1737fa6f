import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Busboy } from '@fastify/busboy';
import { openForm } from '../../src/agent/form.ts';

interface Part {
  readonly field: string;
  readonly filename: string;
  readonly contentType: string;
  readonly content: string;
}

/** The parts of a body, as a server of this ecosystem reads them. */
async function parse(contentType: string, body: Buffer): Promise<Part[]> {
  const parts: Part[] = [];
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

function partsOf(filename: string, ...contents: readonly string[]): Promise<Part[]> {
  const { contentType, head, tail } = openForm();
  const framed = contents.map(content => Buffer.from(content, 'latin1'));
  const pieces = framed.flatMap((content, index) => [head(filename, index > 0), content]);
  return parse(contentType, Buffer.concat([...pieces, tail]));
}

const UNCHANGED = ['a.txt', 'app/a/b.txt', '/srv/www/a.txt', 'a b', "a'b", 'a;b=c', 'a%22b', 'ünï/日本/😀'];
const FILENAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(UNCHANGED.map(name => [name, name])),
  // form-data takes a backslash for the separator of Windows. Where a file goes, the query says; where there is none,
  // a name with a backslash shares no request.
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
  const { contentType, head, tail } = openForm();
  const [, boundary = ''] = /^multipart\/form-data; boundary=(-*[0-9a-zA-Z]+)$/.exec(contentType) ?? [];
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
  const boundaries = Array.from({ length: 100 }, () => openForm().contentType);
  assert.equal(new Set(boundaries).size, 100);
});
