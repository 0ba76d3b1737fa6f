import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatJudged, type Judgement, judge, judgeGate } from '../../src/gate/judge.ts';
import type { Sample } from '../../src/gate/metrics.ts';
import { parse } from '../support/parse-condition.ts';

/** Creates samples of one metric. `undefined` stands for a sample without the metric. */
function samplesOf(metric: string, values: readonly (number | undefined)[]): Sample[] {
  return values.map((value, at) => ({
    at,
    figures: new Map([value === undefined ? (['ts', 1] as const) : ([metric, value] as const)]),
  }));
}

/** Returns the figure of a judgement, or why the condition could not be judged. */
function figureOrWhy(judgement: Judgement): number | string {
  return judgement.result === 'unknown' ? judgement.why : judgement.figure;
}

const JUDGED: readonly (readonly [string, readonly number[], isTrue: boolean, figure: number])[] = [
  // If the condition is true for several figures, report the most extreme; for == and !=, the first.
  ['load > 7', [1, 9, 8, 2], true, 9],
  ['load >= 8', [8, 9, 2], true, 9],
  ['load < 1', [5, 0, -2], true, -2],
  ['load <= 3', [3, 5.5, 8], true, 3],
  ['load == 5.5', [3, 5.5, 8], true, 5.5],
  ['load != 3', [3, 5.5, 8], true, 5.5],
  // If the condition is true for no figure, report the last one.
  ['load > 8', [8, 3, 5], false, 5],
  ['load < 3', [8, 3, 5], false, 5],
  ['load == 4', [8, 3, 5], false, 5],
  // With an aggregate, report its figure.
  ['load.last >= 6', [4, 10, 1, 6], true, 6],
  ['load.min > 1', [4, 10, 1, 6], false, 1],
  ['load.max != 10', [4, 10, 1, 6], false, 10],
  ['load.mean == 5.25', [4, 10, 1, 6], true, 5.25],
  ['load.p50 > 4', [4, 10, 1, 6], false, 4],
  ['load.p95 >= 10', [4, 10, 1, 6], true, 10],
];
for (const [line, values, isTrue, figure] of JUDGED) {
  test(`a condition is true or false over all samples, and names the figure that decides [${line}]`, () => {
    const condition = parse(line);
    const judgement = judge(condition, samplesOf(condition.metric, values));
    assert.deepEqual(judgement, { condition, result: isTrue ? 'true' : 'false', figure });
  });
}

const NOT_JUDGED: readonly (readonly [string, readonly (number | undefined)[], why: string])[] = [
  ['load > 1', [], 'there are no stats'],
  ['load != 1', [undefined], 'the sandbox does not report `load`; it reports `ts`'],
  ['load.last > 1', [undefined, 1], '1 of 2 samples do not report `load`'],
  ['load.min < 1', [1, undefined], '1 of 2 samples do not report `load`'],
];
for (const [line, values, why] of NOT_JUDGED) {
  test(`a condition cannot be judged without its metric in each sample [${line}]`, () => {
    const condition = parse(line);
    const judgement = judge(condition, samplesOf('load', values));
    assert.deepEqual(judgement, { condition, result: 'unknown', why });
  });
}

const SAMPLES = [40, 60].map((percent, at) => ({
  at,
  figures: new Map([
    ['cpu_count', 4],
    ['mem_used_pct', percent],
  ]),
}));

const lacks = (metric: string) =>
  `the sandbox does not report \`${metric}\`; it reports \`cpu_count\`, \`mem_used_pct\``;

/** Conditions that tripped or could not be judged are listed, each with its figure or why. */
type GateCase = readonly [failIf: string[], warnIf: string[], state: string, reported?: string[]];

const GATES: Readonly<Record<string, GateCase>> = {
  'passed if no condition trips': [['mem_used_pct > 60'], ['mem_used_pct < 40'], 'passed'],
  'warned if only a warn-if condition trips': [
    ['mem_used_pct > 90'],
    ['mem_used_pct > 50'],
    'warned',
    ['warn mem_used_pct > 50: 60'],
  ],
  'failed if any fail-if condition trips, with every condition that tripped': [
    ['mem_used_pct > 90', 'mem_used_pct.mean >= 50', 'cpu_count == 4'],
    ['mem_used_pct > 50', 'cpu_count > 4'],
    'failed',
    ['fail mem_used_pct.mean >= 50: 50', 'fail cpu_count == 4: 4', 'warn mem_used_pct > 50: 60'],
  ],
  'failed if a fail-if condition cannot be judged': [
    ['mem_cache < 1B'],
    [],
    'failed',
    [`fail mem_cache < 1B: ${lacks('mem_cache')}`],
  ],
  'warned if a warn-if condition cannot be judged': [
    [],
    ['load != 1'],
    'warned',
    [`warn load != 1: ${lacks('load')}`],
  ],
};
const INCOMPLETE: Readonly<Record<string, GateCase>> = {
  'none without conditions, even if samples are missing': [[], [], 'none'],
  'failed if samples are missing, with fail-if': [
    ['cpu_count > 9', 'mem_used_pct > 50'],
    [],
    'failed',
    ['fail cpu_count > 9: samples are missing', 'fail mem_used_pct > 50: 60'],
  ],
  'warned if samples are missing, without fail-if': [
    [],
    ['cpu_count > 9'],
    'warned',
    ['warn cpu_count > 9: samples are missing'],
  ],
};

for (const [name, [failIf, warnIf, state, reported = []]] of Object.entries({
  ...GATES,
  ...INCOMPLETE,
}))
  test(`a gate is as bad as the worst of its conditions [${name}]`, () => {
    const conditions = { failIf: failIf.map(parse), warnIf: warnIf.map(parse) };
    const gate = judgeGate(conditions, SAMPLES, name in INCOMPLETE);
    assert.equal(gate.judgements.length, failIf.length + warnIf.length);
    assert.equal(gate.state, state);
    const notFalse = gate.judgements.filter(({ result }) => result !== 'false');
    const texts = notFalse.map(
      each => `${each.level} ${each.condition.text}: ${figureOrWhy(each)}`,
    );
    assert.deepEqual(texts, reported);
  });

test('a figure that would look equal to its limit is also shown unrounded', () => {
  const cases: readonly (readonly [condition: string, figure: number, text: string])[] = [
    ['cpu_used_pct > 90', 90.04, '90 % (90.04)'],
    ['cpu_used_pct > 90', 90, '90 %'],
    ['cpu_used_pct > 90', 90.1, '90.1 %'],
    ['mem_free < 512MiB', 536_870_911, '512 MiB (536870911)'],
    ['mem_used_mib > 512', 512.01, '512 MiB (512.01)'],
  ];
  for (const [condition, figure, text] of cases)
    assert.equal(formatJudged(parse(condition), figure), text);
});
