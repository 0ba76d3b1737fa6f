import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Trailer, trailerCutter } from '../../src/command/trailer.ts';
import { runScript } from '../support/run-script.ts';
import { SKIP_WITHOUT_BASH } from '../support/system.ts';
import { openTempFolder } from '../support/temp-folder.ts';

const MARK = 'f00dfeed-0000-4000-8000-00c0ffee0000';
const PIECES = [`${MARK}\tout\ta=\\\\n\\n\n`, `${MARK}\tout\tb=ü\\n\n`];
const END = `${MARK}\tend\t3\t2\t4\t10\t1 0 1 \t7\t\tfalse\tü\n`;

const PARSED: Trailer = {
  exitCode: 3,
  oomKills: 2,
  failed: { exitCode: 1, pipeline: [0, 1], line: 7, file: '', command: 'false\tü' },
  githubOutput: 'a=\\n\nb=ü\n',
  size: 10,
};

function cut(pieces: readonly Buffer[], mark = MARK) {
  const output: Buffer[] = [];
  const ends: Trailer[] = [];
  const cutter = trailerCutter(mark, {
    onOutput: bytes => output.push(bytes),
    onTrailer: trailer => ends.push(trailer),
  });
  for (const piece of pieces) cutter.write(piece);
  cutter.flush();
  return { output: Buffer.concat(output).toString('latin1'), ends };
}

/** Splits bytes at the given positions, wrapped around at the end. */
function split(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const cuts = [0, ...positions.map(at => at % (bytes.length + 1)).sort((a, b) => a - b)];
  return cuts.map((at, index) => bytes.subarray(at, cuts[index + 1] ?? bytes.length));
}

// Pieces of the trailer, so that output often looks like the beginning of one.
const OUTPUT = fc
  .array(
    fc.oneof(
      fc.constantFrom(MARK.slice(0, 1), MARK.slice(0, 9), MARK.slice(0, -1), MARK.slice(1), '\n'),
      fc.constantFrom('\tend\t0\t0\t0\t\t\n', END.slice(1), PIECES[0]?.slice(1) ?? '', 'ü', '\r\n'),
      fc.string(),
    ),
  )
  .map(parts => parts.join(''))
  .filter(text => !`${text}${MARK}`.slice(0, -1).includes(MARK));

const POSITIONS = fc.array(fc.nat(), { maxLength: 30 });

test('the trailer is cut out of any output, however the stream is split', () => {
  const outputs = fc.tuple(OUTPUT, OUTPUT, OUTPUT, OUTPUT);
  fc.assert(
    fc.property(outputs, POSITIONS, ([first, ...others], positions) => {
      const lines = [...PIECES, END].map((line, index) => `${line}${others[index]}`);
      const bytes = Buffer.from(first + lines.join(''));
      assert.deepEqual(cut(split(bytes, positions)), {
        output: Buffer.from(first + others.join('')).toString('latin1'),
        ends: [PARSED],
      });
    }),
  );
});

const BYTES = fc.array(fc.oneof(fc.constantFrom(0, 10, 13, 92, 110), fc.nat(255)), {
  maxLength: 9000,
});

test('any bytes in $GITHUB_OUTPUT arrive, but for NUL, however the stream is split, and beside a background process that prints', {
  skip: SKIP_WITHOUT_BASH,
}, async () => {
  using folder = openTempFolder();
  const file = folder.at('bytes');
  const script = `(while [ -e "$GITHUB_OUTPUT" ]; do echo noise; done) &\ncat ${file} >>"$GITHUB_OUTPUT"`;
  const property = fc.asyncProperty(BYTES, POSITIONS, async (bytes, positions) => {
    writeFileSync(file, Buffer.from(bytes));
    // Node would make stdout a socket, not a pipe.
    const before = ['bash', '-c', '"$@" | cat', 'bash'];
    const { stream, mark } = await runScript(script, { before });
    const { output, ends } = cut(split(stream, positions), mark);
    assert.match(output, /^(noise\n)*$/);
    const expected = Buffer.from(bytes.filter(byte => byte !== 0)).toString();
    assert.equal(ends[0]?.githubOutput, expected);
  });
  await fc.assert(property, { numRuns: 20 });
});

test('output passes at once, unless its last characters may begin the trailer', () => {
  const passed: string[] = [];
  const onOutput = (bytes: Buffer) => void passed.push(String(bytes));
  const cutter = trailerCutter(MARK, { onOutput, onTrailer() {} });
  for (const text of ['ready\n', 'x', `y${MARK.slice(0, 5)}`, '!', MARK.slice(0, -1)])
    cutter.write(Buffer.from(text));
  assert.deepEqual(passed, ['ready\n', 'x', 'y', `${MARK.slice(0, 5)}!`]);
  cutter.flush();
  assert.equal(passed.at(-1), MARK.slice(0, -1));
  // A line without an end is not held back for ever.
  cutter.write(Buffer.from(`${MARK}\tend\t${'x'.repeat(10_000)}`));
  assert.match(passed.at(-1) ?? '', /^end\tx{10000}$/);
});

test('a script may print its mark, but not as the shell does', () => {
  const forgeries = [
    `SANDBOX_SYNC_MARK=${MARK}\n`,
    `${MARK}x\tend\t0\t\t\t\t\n`,
    `${MARK}\tend\t\n`,
    `${MARK}\tend\t-1\t\t\t\t\n`,
    `${MARK}\tlater\t0\n`,
    `${MARK}${'x'.repeat(10_000)}\n`,
  ];
  for (const forgery of forgeries) {
    const { output, ends } = cut([Buffer.from(`a\n${forgery}b\n${[...PIECES, END].join('')}`)]);
    assert.deepEqual([output, ends], [`a\n${forgery}b\n`, [PARSED]]);
  }
});

test('the kernel has killed as many processes as its two counts differ', () => {
  const killsOf = (counts: string) =>
    (cut([Buffer.from(`${MARK}\tend\t0\t${counts}\t\t\n`)]).ends[0] ?? assert.fail(counts))
      .oomKills;
  assert.equal(killsOf('0\t0'), 0);
  assert.equal(killsOf('1\t3'), 2);
  for (const unclear of ['\t', '\t1', '1\t', 'x\t1e3'])
    assert.equal(killsOf(unclear), undefined, unclear);
});
