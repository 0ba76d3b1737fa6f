import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '../../src/gate/judge.ts';
import { textsOf } from '../../src/report/section.ts';
import { renderStats } from '../../src/report/stats-section.ts';
import { judgeRecord } from '../../src/stats/gaps.ts';
import type { Attempt, SamplingEnd } from '../../src/stats/samples.ts';
import { formatTime } from '../../src/text/format.ts';
import { parse } from '../support/parse-condition.ts';

const S = 1000;
const FIGURES = new Map([['mem_used_pct', 10]]);
const RESPONSE = '{"mem_used_pct":10}';
const CONDITIONS = [parse('mem_used_pct > 90')];

interface MonitoredJob {
  /** Seconds at which samples were taken. */
  readonly at: readonly number[];
  /** Second at which a command begins. Default: at the first sample, as for a monitor. */
  readonly from?: number;
  /** Second at which the job ends. */
  readonly to?: number;
  readonly sampleInterval?: number;
  readonly failIf?: readonly Condition[];
  readonly warnIf?: readonly Condition[];
  /** Seconds at which failed requests ended. */
  readonly failedAt?: readonly number[];
  readonly end?: SamplingEnd;
}

function attemptsOf({ at, failedAt = [] }: MonitoredJob): Attempt[] {
  const attempts = [
    ...at.map(second => ({ second, kind: 'sample', figures: FIGURES }) as const),
    ...failedAt.map(second => ({ second, kind: 'failure', message: 'It answered 503.' }) as const),
  ];
  attempts.sort((one, other) => one.second - other.second);
  return attempts.map(({ second, ...attempt }) => {
    return { ...attempt, askedAt: second * S - 1, at: second * S };
  });
}

function judgeJob(job: MonitoredJob) {
  const { at, from = at[0] ?? 0, to = 100, sampleInterval = 5 * S } = job;
  const { failIf = CONDITIONS, warnIf = [], end = 'requested' } = job;
  const record = { attempts: attemptsOf(job), response: RESPONSE, end };
  const time = { from: from * S, to: to * S };
  return judgeRecord({ failIf, warnIf, sampleInterval }, record, time, { cancelled: false });
}

/** Seconds at which a gap begins and ends, and how sampling ended if it ended early. */
type Gap = readonly [from: number, to: number, sampling?: SamplingEnd];

const FULL = { early: 'its record was full' };

/** Jobs that end at second 100 and have a sample-interval of 5 s, unless noted. */
const JOBS: Readonly<Record<string, MonitoredJob & { gaps: readonly Gap[] }>> = {
  'a gap if every sample after the first failed, even in a short job': {
    at: [80],
    failedAt: [85, 90],
    to: 91,
    gaps: [[80, 91]],
  },
  'no gap if samples failed for the last two intervals and 3 s': {
    at: [80, 87],
    failedAt: [92, 97],
    gaps: [],
  },
  'a gap if samples failed for more than the last two intervals and 3 s': {
    at: [80, 86.999],
    failedAt: [92],
    gaps: [[86.999, 100]],
  },
  'no gap if samples failed for two intervals and 10 s between two good ones': {
    at: [70, 80, 100],
    failedAt: [85, 90, 95],
    gaps: [],
  },
  'a gap if samples failed for more than two intervals and 10 s between two good ones': {
    at: [70, 79.999, 100],
    failedAt: [90],
    gaps: [[79.999, 100]],
  },
  'no gap if one sample between two good ones failed at once': {
    at: [80, 90, 100],
    failedAt: [85],
    gaps: [],
  },
  'a gap in a command of 22 s whose stats failed after its first sample': {
    from: 0,
    at: [2],
    to: 22,
    sampleInterval: S,
    failedAt: [12, 22],
    gaps: [[2, 22]],
  },
  'no gap if only one sample failed after the first, since a step may delete the sandbox': {
    at: [90],
    failedAt: [100],
    gaps: [],
  },
  'a gap after the last sample if sampling ended early': {
    at: [80, 90],
    end: FULL,
    gaps: [[90, 100, FULL]],
  },
  'why sampling ended early only in the last of several gaps': {
    at: [0, 60],
    end: FULL,
    gaps: [
      [0, 60],
      [60, 100, FULL],
    ],
  },
  'one gap without samples, even in a short job': { at: [], to: 1, gaps: [[0, 1]] },
  'no gap in ten intervals between two samples': { at: [0, 50, 100], gaps: [] },
  'a gap in more than ten intervals between two samples': {
    at: [0, 50.001, 100],
    gaps: [[0, 50.001]],
  },
  'a gap at the end of the job': { at: [0, 49], gaps: [[49, 100]] },
  'two gaps in one job': {
    at: [0, 60, 70, 121],
    to: 122,
    gaps: [
      [0, 60],
      [70, 121],
    ],
  },
  'no gap if the time without samples is too long only with the time after the end': {
    at: [0, 50, 101],
    gaps: [],
  },
  'a gap of more than 30 s, but none of 30 s, with a short interval': {
    at: [0, 30, 61, 62],
    sampleInterval: S,
    to: 62,
    gaps: [[30, 61]],
  },
};

for (const [name, { gaps, ...job }] of Object.entries(JOBS))
  test(`judgeRecord finds the times in which a sandbox was not seen [${name}]`, () => {
    const expected = gaps.map(([from, to, samplingEnd = 'requested']) => {
      const failures = attemptsOf(job).filter(
        ({ kind, askedAt }) => kind === 'failure' && askedAt >= from * S && askedAt < to * S,
      );
      return { from: from * S, to: to * S, samplingEnd, failures };
    });
    assert.deepEqual(judgeJob(job).monitored.gaps, expected);
  });

test('judgeRecord returns the samples, the failures and the last response of the record', () => {
  const { samples, response, monitored } = judgeJob({ at: [95, 105], failedAt: [100] });
  assert.deepEqual(
    samples.map(({ at, figures }) => [at, figures]),
    [
      [95 * S, FIGURES],
      [105 * S, FIGURES],
    ],
  );
  const at = 100 * S;
  const failure = { kind: 'failure', askedAt: at - 1, at, message: 'It answered 503.' };
  assert.deepEqual([monitored.failures, response], [[failure], RESPONSE]);
});

const GATES = {
  'with fail-if': [{}, 'failed', 2, 0],
  'with warn-if': [{ failIf: [], warnIf: CONDITIONS }, 'warned', 0, 2],
  'without conditions': [{ failIf: [] }, 'none', 0, 2],
} as const;

const MESSAGES = [
  [0, 60],
  [60, 120],
].map(times => {
  const [from = '', to = ''] = times.map(second => formatTime(second * S));
  return `The sandbox was not seen from ${from} to ${to}.`;
});

for (const [name, [conditions, state, errorCount, warningCount]] of Object.entries(GATES))
  test(`a gap between samples fails a gate with fail-if, and is a warning otherwise [${name}]`, () => {
    const stats = judgeJob({ at: [0, 60, 120], to: 130, ...conditions });
    assert.equal(stats.gate.state, state);
    const rendered = renderStats(stats, { cancelled: false, isOnlyResult: true });
    const isGap = (text: string) => text.startsWith('The sandbox was not seen');
    const errors = textsOf((rendered.problems ?? []).flat()).filter(isGap);
    const warnings = textsOf(rendered.warnings ?? []).filter(isGap);
    assert.deepEqual([errors.length, warnings.length], [errorCount, warningCount]);
    assert.deepEqual([...errors, ...warnings], MESSAGES);
  });

test('a gap says how many samples failed in it and why the last did, instead of a warning', () => {
  const stats = judgeJob({ at: [60, 65, 75], failedAt: [70, 80, 90] });
  const rendered = renderStats(stats, { cancelled: false, isOnlyResult: true });
  const time = `${formatTime(75 * S)} to ${formatTime(100 * S)}`;
  const [gap = []] = rendered.problems ?? [];
  assert.deepEqual(textsOf(gap), [
    `The sandbox was not seen from ${time}.`,
    '2 samples failed, the last: It answered 503.',
  ]);
  assert.deepEqual(rendered.warnings, []);
});

test('failed samples without a gap are a warning, but none without conditions', () => {
  const warnings = [CONDITIONS, []].map(failIf => {
    const stats = judgeJob({ at: [90, 100], failedAt: [95], failIf });
    const rendered = renderStats(stats, { cancelled: false, isOnlyResult: true });
    return textsOf(rendered.warnings ?? []);
  });
  assert.deepEqual(warnings, [['1 sample failed: It answered 503.'], []]);
});

test('a cancelled step has no gaps, and its gate does not pass', () => {
  const inputs = { failIf: CONDITIONS, warnIf: [], sampleInterval: S };
  const attempts = attemptsOf({ at: [10], failedAt: [90] });
  const record = { attempts, response: RESPONSE, end: FULL };
  const time = { from: 0, to: 100 * S };
  const { gate, monitored } = judgeRecord(inputs, record, time, { cancelled: true });
  assert.deepEqual([gate.state, monitored.gaps, monitored.failures], ['failed', [], []]);
});
