import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breachesOf, type Judgement, judge, judgeGate } from '../../src/gate/judge.ts';
import { parse } from '../support/parse-condition.ts';

/** Creates samples of one metric. `undefined` stands for a sample without the metric. */
function samplesOf(metric: string, values: readonly (number | undefined)[]) {
  return values.map(value => ({
    figures: new Map([value === undefined ? (['ts', 1] as const) : ([metric, value] as const)]),
  }));
}

/** Returns the figure of a judgement, or why the condition could not be judged. */
function figureOrWhy(judgement: Judgement): number | string {
  return judgement.holds === undefined ? judgement.why : judgement.figure;
}

const JUDGED: readonly (readonly [string, readonly number[], holds: boolean, figure: number])[] = [
  // If several figures satisfy the condition, report the most extreme; for == and !=, the first.
  ['load > 7', [1, 9, 8, 2], true, 9],
  ['load >= 8', [8, 9, 2], true, 9],
  ['load < 1', [5, 0, -2], true, -2],
  ['load <= 3', [3, 5.5, 8], true, 3],
  ['load == 5.5', [3, 5.5, 8], true, 5.5],
  ['load != 3', [3, 5.5, 8], true, 5.5],
  // If no figure satisfies the condition, report the last one.
  ['load > 8', [8, 3, 5], false, 5],
  ['load < 3', [8, 3, 5], false, 5],
  ['load == 4', [8, 3, 5], false, 5],
  // With an aggregate, report its figure.
  ['load.last >= 6', [4, 10, 1, 6], true, 6],
  ['load.min > 1', [4, 10, 1, 6], false, 1],
  ['load.max != 10', [4, 10, 1, 6], false, 10],
  ['load.mean == 5.25', [4, 10, 1, 6], true, 5.25],
  ['load.mean > 80', [1.7e308, 1.7e308], true, Number.POSITIVE_INFINITY],
  ['load.p50 > 4', [4, 10, 1, 6], false, 4],
  ['load.p95 >= 10', [4, 10, 1, 6], true, 10],
];
for (const [line, values, holds, figure] of JUDGED) {
  test(`"${line}" over ${values.join(', ')} ${holds ? 'holds' : 'does not hold'}, with the figure ${figure}`, () => {
    const condition = parse(line);
    const judgement = judge(condition, samplesOf(condition.metric, values));
    assert.deepEqual([judgement.holds, figureOrWhy(judgement)], [holds, figure]);
  });
}

const NOT_JUDGED: readonly (readonly [string, readonly (number | undefined)[], why: string])[] = [
  ['load > 1', [], 'there are no stats'],
  ['load != 1', [undefined], 'the sandbox does not report `load`; it reports `ts`'],
  ['load.last > 1', [undefined, 1], '1 of 2 samples do not report `load`'],
  ['load.min < 1', [1, undefined], '1 of 2 samples do not report `load`'],
];
for (const [line, values, why] of NOT_JUDGED) {
  test(`"${line}" cannot be judged: ${why}`, () => {
    const condition = parse(line);
    const judgement = judge(condition, samplesOf('load', values));
    assert.deepEqual(judgement, { condition, holds: undefined, why });
  });
}

test('the metrics that a sandbox reports begin with the one whose output is named like the wanted one', () => {
  const judgement = judge(parse('mem-used-pct > 90'), SAMPLES);
  const why = 'the sandbox does not report `mem-used-pct`; it reports `mem_used_pct`, `cpu_count`';
  assert.equal(figureOrWhy(judgement), why);
});

const SAMPLES = [40, 60].map(percent => ({
  figures: new Map([
    ['cpu_count', 4],
    ['mem_used_pct', percent],
  ]),
}));

const lacks = (metric: string) =>
  `the sandbox does not report \`${metric}\`; it reports \`cpu_count\`, \`mem_used_pct\``;

interface GateCase {
  readonly failIf?: readonly string[];
  readonly warnIf?: readonly string[];
  readonly isIncomplete?: true;
  readonly state: string;
  readonly breaches?: readonly unknown[];
}

const GATES: Readonly<Record<string, GateCase>> = {
  'is none without conditions, even if samples are missing': { isIncomplete: true, state: 'none' },
  'passes if no condition holds': {
    failIf: ['mem_used_pct > 60'],
    warnIf: ['mem_used_pct < 40'],
    state: 'passed',
  },
  'warns if only a warn-if condition holds': {
    failIf: ['mem_used_pct > 90'],
    warnIf: ['mem_used_pct > 50'],
    state: 'warned',
    breaches: [['warn', 'mem_used_pct > 50', 60]],
  },
  'fails if any fail-if condition holds, and names every condition that tripped': {
    failIf: ['mem_used_pct > 90', 'mem_used_pct.mean >= 50', 'cpu_count == 4'],
    warnIf: ['mem_used_pct > 50', 'cpu_count > 4'],
    state: 'failed',
    breaches: [
      ['fail', 'mem_used_pct.mean >= 50', 50],
      ['fail', 'cpu_count == 4', 4],
      ['warn', 'mem_used_pct > 50', 60],
    ],
  },
  'fails if a fail-if condition cannot be judged': {
    failIf: ['mem_cache < 1B'],
    state: 'failed',
    breaches: [['fail', 'mem_cache < 1B', lacks('mem_cache')]],
  },
  'warns if a warn-if condition cannot be judged': {
    warnIf: ['load != 1'],
    state: 'warned',
    breaches: [['warn', 'load != 1', lacks('load')]],
  },
  'fails if samples are missing, with fail-if': {
    failIf: ['cpu_count > 9', 'mem_used_pct > 50'],
    isIncomplete: true,
    state: 'failed',
    breaches: [
      ['fail', 'cpu_count > 9', 'samples are missing'],
      ['fail', 'mem_used_pct > 50', 60],
    ],
  },
  'warns if samples are missing, without fail-if': {
    warnIf: ['cpu_count > 9'],
    isIncomplete: true,
    state: 'warned',
    breaches: [['warn', 'cpu_count > 9', 'samples are missing']],
  },
};

for (const [name, gateCase] of Object.entries(GATES)) {
  const { failIf = [], warnIf = [], isIncomplete, state, breaches = [] } = gateCase;
  test(`the gate ${name}`, () => {
    const rules = { failIf: failIf.map(parse), warnIf: warnIf.map(parse) };
    const gate = judgeGate(rules, SAMPLES, isIncomplete);
    const conditions = gate.judgements.map(({ condition }) => condition);
    assert.deepEqual(conditions, [...rules.failIf, ...rules.warnIf]);
    assert.equal(gate.state, state);
    assert.deepEqual(
      breachesOf(gate.judgements).map(each => [each.level, each.condition.text, figureOrWhy(each)]),
      breaches,
    );
  });
}
