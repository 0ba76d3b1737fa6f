import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInputs } from '../../src/inputs/parse-inputs.ts';
import { problemsOf, REQUIRED } from '../support/parse-inputs.ts';

const VARIABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'A=1\nB=2': { A: '1', B: '2' },
  'A=x "y" z': { A: 'x "y" z' },
  'A="x" "y"': { A: '"x" "y"' },
  'A=\'x"': { A: '\'x"' },
  'A="': { A: '"' },
  'A=<<END': { A: '<<END' },
  'A<<END\nx\nEND': { A: 'x' },
  'A<<END\nEND\nB=1': { A: '', B: '1' },
  'A<<END\n"x"\n\n  # no comment\nEN\n END': { A: '"x"\n\n  # no comment\nEN' },
  'B=1\nA<<X\nC=2\nX\nD=3': { A: 'C=2', B: '1', D: '3' },
  'A<<X\n1\nX\nB<<X\n2\nX': { A: '1', B: '2' },
  'A<<X\r\n1\r\n2\r\nX\r\nB=3': { A: '1\r\n2', B: '3' },
};
test('env takes values of one or several lines', () => {
  for (const [env, expected] of Object.entries(VARIABLES)) {
    assert.deepEqual(parseInputs('run', { ...REQUIRED.run, env }).env, expected);
    assert.deepEqual(parseInputs('sandbox', { ...REQUIRED.sandbox, env }).env, expected);
  }
});

const REJECTED: Readonly<Record<string, RegExp>> = {
  'A="secret"': /^A is in quotation marks.* A<<END, the value, and END\.$/,
  "B=1\nA='secret word'": /^A is in quotation marks/,
  'A=""': /^A is in quotation marks/,
  'A<<END\nsecret': /^line 1: this is not of the form KEY=value/,
  'A<<X\n1\n2\nX\nsecret': /^line 5: this is not of the form KEY=value/,
};
test('env is rejected without its values', () => {
  for (const [env, expected] of Object.entries(REJECTED))
    for (const action of ['run', 'sandbox'] as const) {
      const [problem] = problemsOf({ env }, action);
      assert.equal(problem?.input, 'env');
      assert.match(problem.message, expected);
      assert.doesNotMatch(problem.message, /secret/);
    }
});

test('quotation marks are part of other values', () => {
  const inputs = parseInputs('sandbox', { ...REQUIRED.sandbox, metadata: 'A="x"' });
  assert.deepEqual(inputs.metadata, { A: '"x"' });
});
