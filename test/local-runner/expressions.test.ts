import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fillIn, holds } from '../../dev/runner/expressions.ts';

const CONTEXTS = {
  env: {},
  runner: { temp: '/tmp/runner' },
  steps: {
    'a-1': { outputs: { id: 'box', empty: '' }, outcome: 'failure', conclusion: 'success' },
  },
};

describe('an expression in a text', () => {
  const cases: Readonly<Record<string, string>> = {
    'no expression, $HOME and {}': 'no expression, $HOME and {}',
    '${{ runner.temp }}/sandbox': '/tmp/runner/sandbox',
    "${{steps.a-1.outputs['id']}}-${{ steps.A-1.OUTCOME }}": 'box-failure',
    "${{ format('}} {0}', steps.a-1.outputs.id) }}, it''s": "} box, it''s",
    "${{ 'ABC' == 'abc' && (1 < 2 || false) }}": 'true',
    "[${{ steps.none.outputs.id }}${{ env.NONE }}${{ steps.a-1.outputs.empty || 'x' }}]": '[x]',
    '${{ toJSON(steps.a-1.outputs) }}': '{\n  "id": "box",\n  "empty": ""\n}',
  };
  for (const [text, filled] of Object.entries(cases)) {
    test(text, () => assert.equal(fillIn(text, CONTEXTS), filled));
  }

  for (const text of ['${{ secrets.TOKEN }}', "${{ hashFiles('x') }}", '${{ }}', '${{ 1 = 1 }}']) {
    test(`${text} is an error`, () => assert.throws(() => fillIn(text, CONTEXTS)));
  }
});

describe('a condition', () => {
  const cases: readonly (readonly [
    condition: string,
    afterSuccess: boolean,
    afterFailure: boolean,
  ])[] = [
    ['success()', true, false],
    ['failure()', false, true],
    ['${{ always() }}', true, true],
    ['${{ false }}', false, false],
    ['1 > 2', false, false],
    ["'always()'", true, false],
    ["always() && steps.a-1.outputs.id != ''", true, true],
    ["always() && steps.a-1.outputs.none != ''", false, false],
    ['${{ !success() && steps.a-1.outputs.id }}', false, true],
    ['failure() || cancelled()', false, true],
    ["steps.a-1.outcome == 'failure'", true, false],
    ['steps.a-1.outputs.empty', false, false],
  ];
  for (const [condition, afterSuccess, afterFailure] of cases) {
    test(condition, () => {
      assert.equal(holds(condition, CONTEXTS, false), afterSuccess);
      assert.equal(holds(condition, CONTEXTS, true), afterFailure);
    });
  }
});
