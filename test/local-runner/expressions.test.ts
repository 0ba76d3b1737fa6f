import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fillIn, holds } from '../../local-runner/expressions.ts';

const CONTEXTS = {
  runner: { temp: '/tmp/runner' },
  steps: { 'a-1': { outputs: { id: 'box', empty: '' }, outcome: 'failure', conclusion: 'success' } },
};

describe('an expression in a text', () => {
  const cases: Readonly<Record<string, string>> = {
    'no expression, $HOME and {}': 'no expression, $HOME and {}',
    '${{ runner.temp }}/sandbox': '/tmp/runner/sandbox',
    '${{steps.a-1.outputs.id}}-${{ steps.a-1.outcome }}': 'box-failure',
    '[${{ steps.a-1.outputs.empty }}]': '[]',
    "${{ steps.a-1.outcome == 'failure' }}": 'true',
    "${{ steps.a-1.outputs.none == '' }}": 'true',
    "${{ steps.a-1.outputs.none || steps.a-1.outputs.id || 'x' }}": 'box',
    "${{ steps.a-1.outputs.id && 'x' || 'y' }}${{ steps.a-1.outputs.empty && 'x' || 'y' }}": 'xy',
    '${{ toJSON(steps.a-1.outputs) }}': '{\n  "id": "box",\n  "empty": ""\n}',
  };
  for (const [text, filled] of Object.entries(cases)) {
    test(text, () => assert.equal(fillIn(text, CONTEXTS), filled));
  }

  const errors: Readonly<Record<string, RegExp>> = {
    '${{ steps.b.outputs.id }}': /steps\.b\.outputs\.id names what is not there/,
    '${{ secrets.TOKEN }}': /names what is not there/,
    '${{ steps.constructor.name }}': /names what is not there/,
    '${{ steps.a-1.outputs }}': /is no text/,
    "${{ (steps.a-1.outcome) || 'x' }}": /is not known here/,
    '${{ hashFiles(runner.temp) }}': /is not known here/,
    '${{ }}': /is not known here/,
  };
  for (const [text, message] of Object.entries(errors)) {
    test(`${text} is an error, or empty`, () => {
      assert.throws(() => fillIn(text, CONTEXTS), message);
      assert.equal(fillIn(`[${text}]`, CONTEXTS, true), '[]');
    });
  }
});

describe('a condition', () => {
  const cases: readonly (readonly [condition: string, afterSuccess: boolean, afterFailure: boolean])[] = [
    ['success()', true, false],
    ['failure()', false, true],
    ['always()', true, true],
    ['${{ always() }}', true, true],
    ["always() && steps.a-1.outputs.id != ''", true, true],
    ["always() && steps.a-1.outputs.none != ''", false, false],
    ['${{ !success() && steps.a-1.outputs.id }}', false, true],
    ['failure() || cancelled()', false, true],
    ["steps.a-1.outcome == 'failure'", true, false],
    ["steps.a-1.outcome != 'failure'", false, false],
    ['steps.a-1.conclusion == steps.a-1.outcome', false, false],
    ['steps.a-1.outputs.id', true, false],
    ['steps.a-1.outputs.empty', false, false],
  ];
  for (const [condition, afterSuccess, afterFailure] of cases) {
    test(condition, () => {
      assert.equal(holds(condition, CONTEXTS, false), afterSuccess);
      assert.equal(holds(condition, CONTEXTS, true), afterFailure);
    });
  }

  for (const condition of ["contains(steps.a-1.outcome, 'f')", "always() && steps.b.outcome == 'failure'"]) {
    test(`${condition} is an error, or as success()`, () => {
      assert.throws(() => holds(condition, CONTEXTS, false), /is not (known )?(t)?here/);
      assert.equal(holds(condition, CONTEXTS, false, true), true);
      assert.equal(holds(condition, CONTEXTS, true, true), false);
    });
  }
});
