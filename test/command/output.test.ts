import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lineSplitter } from '../../src/command/output.ts';

/** Returns the blocks of lines that are read from these chunks. */
function read(chunks: readonly Uint8Array[]): string[] {
  const blocks: string[] = [];
  const reader = lineSplitter(block => blocks.push(block));
  for (const chunk of chunks) reader.write(Buffer.from(chunk));
  reader.end();
  return blocks;
}

const encode = (texts: readonly string[]) => texts.map(text => Buffer.from(text));

const BLOCKS: Readonly<Record<string, readonly [chunks: readonly string[], blocks: string[]]>> = {
  'all lines of a chunk at once': [
    ['a\nb\nc', 'd\n'],
    ['a\nb\n', 'cd\n'],
  ],
  'an unfinished last line at the end': [['a\nb'], ['a\n', 'b\n']],
  'one end for a \\r\\n that is split between chunks': [['a\r', '\nb\n'], ['a\nb\n']],
  'lines that end in a lone \\r': [
    ['a\rb', 'c\r\r\nd\n'],
    ['a\r', 'bc\r\nd\n'],
  ],
  'an end at a lone \\r at the end of a chunk': [['a\r', 'b\n'], ['a\rb\n']],
  'nothing if nothing was written': [['', ''], []],
  'no end at other characters that end lines elsewhere': [
    ['a\u2028b\u0085c\u000bd\n'],
    ['a\u2028b\u0085c\u000bd\n'],
  ],
};

for (const [what, [chunks, blocks]] of Object.entries(BLOCKS))
  test(`lineSplitter passes on whole lines [${what}]`, () =>
    assert.deepEqual(read(encode(chunks)), blocks));

test('lineSplitter replaces bytes that are not UTF-8, also at the end', () => {
  assert.deepEqual(read([Buffer.from('a\xff\n\xc3', 'latin1')]), ['a\ufffd\n', '\ufffd\n']);
});

test('lineSplitter returns the same lines, however the output is split', () => {
  const unit = fc.constantFrom('a', '\n', '\r', '\r\n', 'ü', '😀', ' ');
  fc.assert(
    fc.property(fc.string({ unit }), fc.array(fc.nat(40)), (text, cuts) => {
      const bytes = Buffer.from(text);
      const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      const blocks = read(chunks);
      const lines = text.replace(/\r\n?/g, '\n').replace(/[^\n]$/u, '$&\n');
      assert.equal(blocks.join('').replaceAll('\r', '\n'), lines);
      for (const block of blocks) assert.match(block, /[\n\r]$/);
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('lineSplitter keeps the first 64 KiB of a line without end, and the line after it', () => {
  const chunk = Buffer.alloc(32 * 1024, 'x');
  const chunks = Array.from({ length: 128 }, () => chunk);
  const [long = '', ...others] = read([Buffer.from('^'), ...chunks, Buffer.from('\nb\n')])
    .join('')
    .split('\n');
  assert.deepEqual(others, ['b', '']);
  assert.match(long, /^\^x{65535}/);
  assert.ok(long.length <= 96 * 1024, `${long.length} characters`);
});
