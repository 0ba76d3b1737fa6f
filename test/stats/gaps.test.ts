import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GateConditions } from '../../src/gate/judge.ts';
import type { Observation } from '../../src/stats/sampling.ts';
import { judgeRecord } from '../../src/stats/stats.ts';
import { parse } from '../support/parse-condition.ts';

const S = 1000;
const SAMPLE = { kind: 'sample', figures: { mem_used_pct: 10 } } as const;
const FAILURE = { kind: 'failure', message: 'It answered 503.' } as const;
const CONDITIONS = [parse('mem_used_pct > 90')];

interface MonitoredJob {
  /** Seconds at which samples were taken. */
  readonly at: readonly number[];
  /** Seconds at which requests failed. */
  readonly failedAt?: readonly number[];
  /** Second at which a command begins. Default: at the first sample, as for a monitor. */
  readonly from?: number;
  readonly to?: number;
  readonly sampleInterval?: number;
  readonly endReason?: string;
}

function observationsOf({ at, failedAt = [] }: MonitoredJob): Observation[] {
  const times = (second: number) => ({ askedAt: second * S - 1, at: second * S });
  const samples = at.map(second => ({ ...SAMPLE, ...times(second) }));
  const failures = failedAt.map(second => ({ ...FAILURE, ...times(second) }));
  return [...samples, ...failures].sort((one, other) => one.at - other.at);
}

type Judging = Partial<GateConditions> & { readonly cancelled?: boolean };

function judgeJob(job: MonitoredJob, judging: Judging = {}) {
  const { failIf = CONDITIONS, warnIf = [], cancelled = false } = judging;
  const { at, from = at[0] ?? 0, to = 100, sampleInterval = 5 * S, endReason } = job;
  const record = { observations: observationsOf(job), response: { load: 1 }, endReason };
  const time = { from: from * S, to: to * S };
  return judgeRecord({ failIf, warnIf, sampleInterval }, record, time, { cancelled });
}

const OVER = 'max-duration ran out';

/** Seconds of samples, of failures, and of the gaps; by default in 100 s, with one each 5 s. */
type Job = readonly [
  at: number[],
  failedAt: number[],
  gaps: (readonly [from: number, to: number, endReason?: string])[],
  more?: Omit<MonitoredJob, 'at' | 'failedAt'>,
];

const JOBS: Readonly<Record<string, Job>> = {
  'a gap if all but the first failed': [[80], [85, 90], [[80, 91]], { to: 91 }],
  'none of two intervals and 3 s with failures at the end': [[80, 87], [92, 97], []],
  'a longer gap with failures at the end': [[80, 86.999], [92], [[86.999, 100]]],
  'none of two intervals and 10 s with failures': [[70, 80, 100], [85, 90, 95], []],
  'a longer gap with failures': [[70, 79.999, 100], [90], [[79.999, 100]]],
  'a gap in a command': [[2], [12, 22], [[2, 22]], { from: 0, to: 22, sampleInterval: S }],
  'none if only the last one failed, since a step may delete the sandbox': [[90], [100], []],
  'one gap without samples': [[], [], [[0, 1]], { to: 1 }],
  'none of ten intervals': [[0, 50, 100], [], []],
  'a gap of more than ten intervals': [[0, 50.001, 100], [], [[0, 50.001]]],
  'a gap of more than ten intervals at the end': [[0, 49], [], [[49, 100]]],
  'none that is too long only with the time after the end': [[0, 50, 101], [], []],
  'a gap of more than 30 s': [[0, 30, 61, 62], [], [[30, 61]], { sampleInterval: S, to: 62 }],
  'a gap at the end if sampling ended early, and why only there': [
    [0, 60],
    [],
    [
      [0, 60],
      [60, 100, OVER],
    ],
    { endReason: OVER },
  ],
};

for (const [name, [at, failedAt, gaps, more]] of Object.entries(JOBS))
  test(`judgeRecord finds the times in which a sandbox was not seen [${name}]`, () => {
    const job = { at, failedAt, ...more };
    const expected = gaps.map(([from, to, endReason]) => {
      const inGap = failedAt.filter(second => second > from && second <= to);
      const failures = observationsOf({ at: [], failedAt: inGap });
      return { from: from * S, to: to * S, endReason, failures };
    });
    assert.deepEqual(judgeJob(job).monitored.gaps, expected);
  });

test('judgeRecord returns the samples, the failures and the last response of the record', () => {
  const { samples, response, monitored } = judgeJob({ at: [95, 105], failedAt: [100] });
  assert.deepEqual(samples, observationsOf({ at: [95, 105] }));
  assert.deepEqual(monitored.failures, observationsOf({ at: [], failedAt: [100] }));
  assert.deepEqual(response, { load: 1 });
});

test('a gate with a gap cannot pass', () => {
  const stateIf = (conditions: Judging) => judgeJob({ at: [0, 60] }, conditions).gate.state;
  assert.equal(stateIf({}), 'failed');
  assert.equal(stateIf({ failIf: [], warnIf: CONDITIONS }), 'warned');
  assert.equal(stateIf({ failIf: [] }), 'none');
});

test('a cancelled step has no gaps, and its gate does not pass', () => {
  const job = { at: [10], failedAt: [90], endReason: OVER };
  const { gate, monitored } = judgeJob(job, { cancelled: true });
  assert.deepEqual([gate.state, monitored.gaps, monitored.failures], ['failed', [], []]);
});
