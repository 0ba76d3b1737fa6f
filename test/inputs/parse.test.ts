import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeProblem, InputError, type Parser, parseInputs } from '../../src/inputs/parse.ts';

const upper: Parser<string> = value => value.toUpperCase();
const never: Parser<number> = (value, refuse) => refuse(`"${value}" is wrong.`, '1');

test('each input is handed to the parser of its name, trimmed', () => {
  const parsed = parseInputs({ one: upper, two: upper }, { one: ' a ', two: '\tb\n' });
  assert.deepEqual(parsed, { one: 'A', two: 'B' });
});

test('an input that is missing is handed over as empty', () => {
  assert.deepEqual(parseInputs({ one: upper }, {}), { one: '' });
});

test('a parser sees every raw input', () => {
  const other: Parser<string> = (_value, _refuse, all) => all['two'] ?? '';
  assert.deepEqual(parseInputs({ one: other }, { one: 'a', two: ' b ' }), { one: ' b ' });
});

test('the problems of all inputs are reported together, in the order of the schema', () => {
  const schema = { one: never, two: upper, three: never };
  assert.throws(
    () => parseInputs(schema, { one: 'x', three: 'z' }),
    (error: unknown) => {
      assert.ok(error instanceof InputError);
      assert.deepEqual(error.problems, [
        { input: 'one', message: '"x" is wrong.', example: 'one: 1' },
        { input: 'three', message: '"z" is wrong.', example: 'three: 1' },
      ]);
      assert.equal(
        error.message,
        'one: "x" is wrong. Example: one: 1\nthree: "z" is wrong. Example: three: 1',
      );
      return true;
    },
  );
});

test('a bug in a parser is no problem of the user and passes through', () => {
  const broken: Parser<string> = () => {
    throw new TypeError('a bug');
  };
  assert.throws(() => parseInputs({ one: never, two: broken }, {}), new TypeError('a bug'));
});

test('a problem without an example is described without one', () => {
  assert.equal(describeProblem({ input: 'files', message: 'No.' }), 'files: No.');
});
