import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  describeProblem,
  InputError,
  type Parser,
  parseFields,
  parseLines,
  showFields,
} from '../../src/inputs/parse.ts';
import { field, secret } from '../../src/inputs/values.ts';

const upper = field(value => value.toUpperCase());
const never = field<number>((value, refuse) => refuse(`"${value}" is wrong.`, '1'));

function refuse(message: string, example: string): never {
  throw new InputError([{ input: 'it', message, example }]);
}

test('each input is handed to the parser of its name, trimmed, and its value has that name in one word', () => {
  const parsed = parseFields({ one: upper, 'two-of-it': upper }, { one: ' a ', 'two-of-it': '\tb\n' });
  assert.deepEqual(parsed, { one: 'A', twoOfIt: 'B' });
});

test('an input that is missing is handed over as empty', () => {
  assert.deepEqual(parseFields({ one: upper }, {}), { one: '' });
});

test('a parser sees every raw input', () => {
  const other = field((_value, _refuse, all) => all['two'] ?? '');
  assert.deepEqual(parseFields({ one: other }, { one: 'a', two: ' b ' }), { one: ' b ' });
});

test('the problems of all inputs are reported together, in the order of the fields', () => {
  const problems = [
    { input: 'one', message: '"x" is wrong.', example: 'one: 1' },
    { input: 'three', message: '"z" is wrong.', example: 'three: 1' },
  ];
  const message = 'one: "x" is wrong. Example: one: 1\nthree: "z" is wrong. Example: three: 1';
  assert.throws(() => parseFields({ one: never, two: upper, three: never }, { one: 'x', three: 'z' }), {
    name: 'InputError',
    problems,
    message,
  });
});

test('lines are handed over trimmed and counted, and the problems of all are reported together', () => {
  const parseLine = (line: string, number: number) =>
    line === 'bad' ? refuse(`line ${number}`, 'good') : [line, number];
  assert.deepEqual(parseLines(' a\r\n\nb ', parseLine), ['a', 1, '', 2, 'b', 3]);
  assert.throws(() => parseLines('bad\na\nbad', parseLine), {
    message: 'it: line 1 Example: good\nit: line 3 Example: good',
  });
});

test('a bug in a parser is no problem of the user and passes through', () => {
  const bug: Parser<string> = () => {
    throw new TypeError('a bug');
  };
  assert.throws(() => parseFields({ one: never, two: field(bug) }, {}), new TypeError('a bug'));
});

test('a value is shown as its field shows it, and of a secret only whether it is set', () => {
  const fields = { 'a-b': field(Number, String), c: secret(String), d: secret(String), e: field(String) };
  const shown = showFields(fields, { aB: 7, c: 'hush', d: '', e: '' });
  assert.deepEqual(shown, ['a-b: 7', 'c: set', 'd: empty', 'e: empty']);
});

test('a problem without an example is described without one', () => {
  assert.equal(describeProblem({ input: 'files', message: 'No.' }), 'files: No.');
});
