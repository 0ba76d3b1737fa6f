import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatJudged, type Judgement, judge, judgeGate } from '../../src/gate/judge.ts';
import type { Sample } from '../../src/gate/metrics.ts';
import { parse } from '../support/parse-condition.ts';

/** Creates samples of the load. `undefined` stands for a sample without it. */
function loads(values: readonly (number | undefined)[]): Sample[] {
  return values.map((value, at) => ({
    at,
    figures: value === undefined ? { ts: 1 } : { load: value },
  }));
}

/** Returns the figure of a judgement, or why the condition could not be judged. */
function figureOrWhy(judgement: Judgement): number | string {
  return judgement.result === 'unknown' ? judgement.why : judgement.figure;
}

type JudgeCase = readonly [
  line: string,
  values: readonly (number | undefined)[],
  result: Judgement['result'],
  figureOrWhy: number | string,
];
const JUDGED: readonly JudgeCase[] = [
  // If the condition is true for several figures, report the most extreme; for == and !=, the first.
  ['load > 7', [1, 9, 8, 2], 'true', 9],
  ['load >= 8', [8, 9, 2], 'true', 9],
  ['load < 1', [5, 0, -2], 'true', -2],
  ['load <= 3', [3, 5.5, 8], 'true', 3],
  ['load == 5.5', [3, 5.5, 8], 'true', 5.5],
  ['load != 3', [3, 5.5, 8], 'true', 5.5],
  // If the condition is true for no figure, report the last one.
  ['load > 8', [8, 3, 5], 'false', 5],
  ['load < 3', [8, 3, 5], 'false', 5],
  ['load == 4', [8, 3, 5], 'false', 5],
  // With an aggregate, report its figure.
  ['load.last >= 6', [4, 10, 1, 6], 'true', 6],
  ['load.min > 1', [4, 10, 1, 6], 'false', 1],
  ['load.max != 10', [4, 10, 1, 6], 'false', 10],
  ['load.mean == 5.25', [4, 10, 1, 6], 'true', 5.25],
  ['load.p50 > 4', [4, 10, 1, 6], 'false', 4],
  ['load.p95 >= 10', [4, 10, 1, 6], 'true', 10],
  // Without its metric in each sample, it cannot be judged.
  ['load > 1', [], 'unknown', 'there are no stats'],
  ['load != 1', [undefined], 'unknown', 'the sandbox does not report `load`; it reports `ts`'],
  ['toString > 1', [1], 'unknown', 'the sandbox does not report `toString`; it reports `load`'],
  ['load.last > 1', [undefined, 1], 'unknown', '1 of 2 samples do not report `load`'],
  ['load.min < 1', [1, undefined], 'unknown', '1 of 2 samples do not report `load`'],
];
for (const [line, values, result, figure] of JUDGED)
  test(`a condition is judged over all samples, with the figure that decides, or why none does [${line}]`, () => {
    const judgement = judge(parse(line), loads(values), false);
    assert.deepEqual([judgement.result, figureOrWhy(judgement)], [result, figure]);
  });

const SAMPLES = [40, 60].map((mem_used_pct, at) => ({
  at,
  figures: { cpu_count: 4, mem_used_pct },
}));

/** Returns the state of a gate, and its conditions that are not false, with their figure or why. */
function gateOf(failIf: readonly string[], warnIf: readonly string[], isIncomplete = false) {
  const conditions = { failIf: failIf.map(parse), warnIf: warnIf.map(parse) };
  const { state, judgements } = judgeGate(conditions, SAMPLES, isIncomplete);
  assert.equal(judgements.length, failIf.length + warnIf.length);
  const notFalse = judgements.filter(({ result }) => result !== 'false');
  const texts = notFalse.map(each => `${each.level} ${each.condition.text}: ${figureOrWhy(each)}`);
  return [state, ...texts];
}

test('a gate passes if no condition trips, and does not exist without conditions', () => {
  assert.deepEqual(gateOf(['mem_used_pct > 60'], ['mem_used_pct < 40']), ['passed']);
  assert.deepEqual(gateOf([], [], true), ['none']);
});

test('a gate is as bad as the worst condition that trips, and lists each of them', () => {
  const warned = 'warn mem_used_pct > 50: 60';
  assert.deepEqual(gateOf(['mem_used_pct > 90'], ['mem_used_pct > 50']), ['warned', warned]);
  const failIf = ['mem_used_pct > 90', 'mem_used_pct.mean >= 50', 'cpu_count == 4'];
  assert.deepEqual(gateOf(failIf, ['mem_used_pct > 50', 'cpu_count > 4']), [
    'failed',
    'fail mem_used_pct.mean >= 50: 50',
    'fail cpu_count == 4: 4',
    warned,
  ]);
});

test('a condition that cannot be judged is as bad as one that trips', () => {
  const lacks = 'the sandbox does not report `load`; it reports `cpu_count`, `mem_used_pct`';
  assert.deepEqual(gateOf(['load != 1'], []), ['failed', `fail load != 1: ${lacks}`]);
  assert.deepEqual(gateOf([], ['load != 1']), ['warned', `warn load != 1: ${lacks}`]);
});

test('a condition trips or cannot be judged if samples are missing', () => {
  const why = 'cpu_count > 9: samples are missing';
  const failed = ['failed', `fail ${why}`, 'fail mem_used_pct > 50: 60'];
  assert.deepEqual(gateOf(['cpu_count > 9', 'mem_used_pct > 50'], [], true), failed);
  assert.deepEqual(gateOf([], ['cpu_count > 9'], true), ['warned', `warn ${why}`]);
});

test('a figure that would look equal to its limit is also shown unrounded', () => {
  const shown = (condition: string, figure: number) => formatJudged(parse(condition), figure);
  assert.equal(shown('cpu_used_pct > 90', 90.04), '90 % (90.04)');
  assert.equal(shown('cpu_used_pct > 90', 90), '90 %');
  assert.equal(shown('cpu_used_pct > 90', 90.1), '90.1 %');
  assert.equal(shown('mem_free < 512MiB', 536_870_911), '512 MiB (536870911)');
});
