import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseOutputs, readOutputs } from '../../src/command/outputs.ts';

const NAME = fc.stringMatching(/^[\w.-]{1,20}$/);
const VALUE = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '=', '<<', 'END', '\\', 'ü') });

test('outputs are read as they were written, and the last one of a name counts', () => {
  const pairs = fc.array(fc.tuple(NAME, VALUE));
  fc.assert(
    fc.property(pairs, written => {
      const text = written.map(([name, value]) =>
        value.includes('\n') ? `${name}<<=the end\n${value}\n=the end\n` : `${name}=${value}\n`,
      );
      const last = new Map(written.map(([name, value]) => [name.toLowerCase(), [name, value]]));
      const expected = { pairs: [...last.values()], problems: [] };
      assert.deepEqual(parseOutputs(text.join(''), String), expected);
    }),
  );
});

type Parsed = readonly [text: string, pairs: readonly string[], problem?: RegExp];
const TEXTS: Readonly<Record<string, Parsed>> = {
  'blank lines, and no line break at the end': ['\n\na=1\n\nb=2', ['a: 1', 'b: 2']],
  'an empty value': ['a=\nb<<E\nE\n', ['a: ', 'b: ']],
  'the first operator of a line': ['a=b<<c\nd<<e=f\nx\ne=f\n', ['a: b<<c', 'd: x']],
  '__proto__ and constructor': ['__proto__=1\nconstructor=2', ['__proto__: 1', 'constructor: 2']],
  'carriage returns': ['a=1\r\nb<<E\r\nx\r\nE\r\n', ['a: 1\r', 'b: x\r']],
  'what precedes a line without =': [
    'a=1\nno pair\nb=2',
    ['a: 1'],
    /^Line 2 .*: "no pair"\. A name/,
  ],
  'no name': ['=1', [], /^Line 1 of \$GITHUB_OUTPUT is neither NAME=value nor NAME<<END: "=1"/],
  'no name with blanks': ['a =1', [], /"a =1"/],
  'no name with a carriage return': ['a\r=1', [], /"a\\r=1"/],
  'no long name': [`${'x'.repeat(101)}=1`, [], /up to 100 letters/],
  'no block without a delimiter': ['a<<\nx\n', [], /neither/],
  'no block without an end': ['a=1\nb<<E\nx\n E\n', ['a: 1'], /^Line 2 .* has no end: "b<<E"\./],
  'no secret': ['a=hidden\nb hidden', ['a: ***'], /"b \*\*\*"/],
};
for (const [what, [text, expected, problem]] of Object.entries(TEXTS))
  test(`the outputs of a script have [${what}]`, () => {
    const redact = (value: string) => value.replaceAll('hidden', '***');
    const { pairs, problems } = parseOutputs(text, redact);
    assert.deepEqual(
      pairs.map(pair => pair.join(': ')),
      expected,
    );
    assert.equal(problems.length, problem === undefined ? 0 : 1);
    if (problem !== undefined) assert.match(problems.join(), problem);
  });

test('outputs whose file is gone are a problem if the script mentions them, and others that are missing always', () => {
  const problemOf = (size: number | undefined, isExpected: boolean) =>
    readOutputs({ githubOutput: undefined, size }, isExpected, String).problems.join();
  assert.equal(problemOf(undefined, false), '');
  assert.match(problemOf(undefined, true), /^Their file was deleted/);
  assert.match(problemOf(5, false), /^They did not arrive/);
  assert.match(problemOf(2 ** 20 + 1, false), /^They are larger than 1 MiB/);
});
