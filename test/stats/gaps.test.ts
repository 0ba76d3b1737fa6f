import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '../../src/gate/judge.ts';
import { fullReason, reasonLines } from '../../src/report/reason.ts';
import { ENDED_AS_PLANNED } from '../../src/stats/samples.ts';
import { judgeRecord } from '../../src/tasks/judge-record.ts';
import { formatTime } from '../../src/text/format.ts';
import { parse } from '../support/parse-condition.ts';
import { statsFromJson } from '../support/stats-from-json.ts';

const S = 1000;
const STATS = statsFromJson('{"mem_used_pct":10}');
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
  readonly failures?: readonly string[];
}

function judgeJob(job: MonitoredJob) {
  const { at, from = at[0] ?? 0, to = 100, sampleInterval = 5 * S } = job;
  const { failIf = CONDITIONS, warnIf = [], failures = [] } = job;
  const samples = at.map(second => ({ at: second * S, ...STATS }));
  const record = { samples, failures, endReason: ENDED_AS_PLANNED };
  const time = { from: from * S, to: to * S };
  return judgeRecord({ failIf, warnIf, sampleInterval }, record, time);
}

type Gap = readonly [from: number, to: number];

function gapMessage([from, to]: Gap): string {
  return `The sandbox was not seen from ${formatTime(from * S)} to ${formatTime(to * S)}.`;
}

/** Jobs that end at second 100 and have a sample-interval of 5 s, unless noted. */
const JOBS: Readonly<Record<string, MonitoredJob & { gaps: readonly Gap[] }>> = {
  'a gap if every sample after the first failed, even in a short job': {
    at: [80],
    failures: ['It answered 503.', 'It answered 503.'],
    gaps: [[80, 100]],
  },
  'no gap in a short command with one sample, even if others failed': {
    from: 0,
    at: [1],
    to: 29,
    failures: ['It answered 503.', 'It answered 503.'],
    gaps: [],
  },
  'one gap without samples': { at: [], gaps: [[0, 100]] },
  'no gap in ten intervals between two samples': { at: [0, 50, 100], gaps: [] },
  'a gap in more than ten intervals between two samples': {
    at: [0, 50.001, 100],
    gaps: [[0, 50.001]],
  },
  'a gap at the end of the job': { at: [0, 49], gaps: [[49, 100]] },
  'two gaps in one job, one of which ends after it': {
    at: [0, 60, 70, 121],
    gaps: [
      [0, 60],
      [70, 121],
    ],
  },
  'a gap of more than 30 s, but none of 30 s, with a short interval': {
    at: [0, 30, 61, 62],
    sampleInterval: S,
    to: 62,
    gaps: [[30, 61]],
  },
};

for (const [name, { gaps, ...job }] of Object.entries(JOBS))
  test(`judgeRecord finds ${name}`, () => {
    const { errors } = judgeJob(job);
    assert.deepEqual(errors.map(fullReason).flatMap(reasonLines), gaps.map(gapMessage));
  });

const GATES = {
  'fails a gate with fail-if': [{}, 'failed', 1, 0],
  'is a warning with warn-if': [{ failIf: [], warnIf: CONDITIONS }, 'warned', 0, 2],
  'is a warning without conditions': [{ failIf: [] }, 'none', 0, 2],
} as const;

for (const [name, [conditions, state, errorCount, warningCount]] of Object.entries(GATES))
  test(`a gap between samples ${name}`, () => {
    const { errors, warnings, measured } = judgeJob({ at: [0, 60, 120], to: 130, ...conditions });
    assert.equal(measured.gate.state, state);
    assert.deepEqual([errors.length, warnings.length], [errorCount, warningCount]);
    assert.equal(errors[0]?.title ?? warnings[0], gapMessage([0, 60]));
    assert.deepEqual(measured.monitored, { from: 0, to: 130 * S });
  });
