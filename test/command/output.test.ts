import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { keepLastLines, lineSplitter } from '../../src/command/output.ts';
import { simulateAgent } from '../support/simulated-transfer.ts';

/** Returns the blocks of lines that are read from these chunks. */
function read(chunks: readonly Uint8Array[]): string[] {
  const blocks: string[] = [];
  const reader = lineSplitter(block => blocks.push(block));
  for (const chunk of chunks) reader.write(Buffer.from(chunk));
  reader.end();
  return blocks;
}

const { log: IGNORED } = simulateAgent().context;

const encode = (texts: readonly string[]) => texts.map(text => Buffer.from(text));

test('lineSplitter passes on the whole lines of a chunk at once, but waits for what follows a \\r', () => {
  assert.deepEqual(read(encode(['a\nb\nc', 'd\n'])), ['a\nb\n', 'cd\n']);
  assert.deepEqual(read(encode(['a\rb', 'c\r\r\nd\n'])), ['a\r', 'bc\r\nd\n']);
  assert.deepEqual(read(encode(['a\r', '\nb\n'])), ['a\nb\n']);
  assert.deepEqual(read(encode(['a\r', 'b\n'])), ['a\rb\n']);
});

test('lineSplitter replaces bytes that are not UTF-8, also at the end', () => {
  assert.deepEqual(read([Buffer.from('a\xff\n\xc3', 'latin1')]), ['a\ufffd\n', '\ufffd\n']);
});

test('lineSplitter returns the same lines, however the output is split', () => {
  // The last three end lines elsewhere.
  const unit = fc.constantFrom('a', '\n', '\r', '\r\n', 'ü', '😀', ' ', '\u2028', '\u0085', '\v');
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

const MANY = 'y\n'.repeat(40);
const LONG = `${'x'.repeat(2000)}\n`;

/** What a command prints, what the log shows of it, and the last lines that its result has. */
type Printed = readonly [chunks: readonly string[], shown: string, last: string[]];
const PRINTED: Readonly<Record<string, Printed>> = {
  'colors, only in the log': [
    ['\u001b[32mgreen\u001b[0m\n'],
    '\u001b[32mgreen\u001b[0m\n',
    ['green'],
  ],
  'no erasures, which gcc puts behind its colors': [
    ['\u001b[01m\u001b[Kerror\u001b[m\u001b[K: x\n'],
    '\u001b[01merror\u001b[m: x\n',
    ['error: x'],
  ],
  'nothing of blank lines': [['\n \n\n'], '\n \n\n', []],
  'a progress bar as a terminal shows it': [
    ['10 %\r50', ' %\r100 %\r', '\ndone\r\n20 %\r'],
    '10 %\n50 %\n100 %\ndone\n20 %\n',
    ['100 %', 'done', '20 %'],
  ],
  'no secret whose halves have two colors': [['hid\u001b[31mden\n'], 'hid\u001b[31mden\n', ['***']],
  'the last forty lines': [[`x\n${MANY}`], `x\n${MANY}`, Array(40).fill('y')],
  'a long line, cut': [[LONG], LONG, [`${'x'.repeat(1000)}…`]],
};
for (const [what, [chunks, shown, last]] of Object.entries(PRINTED))
  test(`the last lines of a command have [${what}]`, () => {
    let log = '';
    const redact = (text: string) => text.replaceAll('hidden', '***');
    const show = (text: string) => void (log += text);
    const output = keepLastLines({ redact, log: { ...IGNORED, output: show } });
    for (const chunk of encode(chunks)) output.write(chunk);
    output.end();
    assert.deepEqual([log, output.lastLines()], [shown, last]);
  });
