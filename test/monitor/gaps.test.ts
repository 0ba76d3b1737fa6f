import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SampleRecord, STOP_REQUESTED } from '../../src/stats/sample.ts';
import { judgeRecord } from '../../src/tasks/judge-record.ts';
import { formatTime } from '../../src/text/format.ts';
import { parse } from '../gate/parse-condition.ts';
import { statsFromJson } from '../stats/stats-from-json.ts';

const S = 1000;
const STATS = statsFromJson('{"mem_used_pct":10}');

function samplesAt(...seconds: readonly number[]) {
  return seconds.map(each => ({ at: each * S, ...STATS }));
}

const RECORD = { failures: [], end: STOP_REQUESTED };

/** A job that ends after 100 s, with an interval of 5 s. */
interface MonitoredJob {
  /** The times of the samples, in seconds. */
  readonly at: readonly number[];
  readonly record?: Partial<SampleRecord>;
  readonly gaps: readonly (readonly [from: number, to: number, why: string])[];
}

const ENDED = ', since sampling had ended: ';

const JOBS: Readonly<Record<string, MonitoredJob>> = {
  'a gap if every sample after the first failed, even in a short job': {
    at: [80],
    record: { failures: ['It answered 503.', 'It answered 503.'] },
    gaps: [[80, 100, '']],
  },
  'no gap in a job that was sampled to its end': { at: [0, 48, 98, 100], gaps: [] },
  'a gap that ends after the job, with a late last sample': {
    at: [0, 50, 101],
    gaps: [[50, 101, '']],
  },
  'no gap in ten intervals between two samples': { at: [0, 50, 100], gaps: [] },
  'a gap in more than ten intervals between two samples': {
    at: [0, 50.001, 100],
    gaps: [[0, 50.001, '']],
  },
  'a gap at the end of the job': { at: [0, 49], gaps: [[49, 100, '']] },
  'two gaps in one job': {
    at: [0, 60, 70, 121],
    gaps: [
      [0, 60, ''],
      [70, 121, ''],
    ],
  },
  'a gap after max-duration, however short': {
    at: [0, 40, 80],
    record: { end: 'max-duration was over' },
    gaps: [[80, 100, `${ENDED}max-duration was over`]],
  },
  'a gap after a crash, with its error': {
    at: [0, 50, 99],
    record: { end: 'Error: ENOSPC' },
    gaps: [[99, 100, `${ENDED}Error: ENOSPC`]],
  },
  'a gap after a killed sampler': {
    at: [0, 50, 100],
    record: { end: undefined },
    gaps: [[100, 100, ', since something else ended the monitor']],
  },
};

const CONDITIONS = [parse('mem_used_pct > 90')];

/** Returns the messages of the gaps in a record, with a gate. */
function gapsIn(record: SampleRecord, to: number, sampleInterval: number): string[] {
  const inputs = { failIf: CONDITIONS, warnIf: [], sampleInterval };
  const from = record.samples[0]?.at ?? Number.NaN;
  const { errors } = judgeRecord(inputs, record, { from, to });
  return errors.flatMap(({ message, details }) => [message, ...details]);
}

function gapMessage([from, to, why]: MonitoredJob['gaps'][number]): string {
  return `The sandbox was not seen from ${formatTime(from * S)} to ${formatTime(to * S)}${why}.`;
}

for (const [name, { at, record, gaps }] of Object.entries(JOBS))
  test(`judgeRecord finds ${name}`, () => {
    const job = { samples: samplesAt(...at), ...RECORD, ...record };
    assert.deepEqual(gapsIn(job, 100 * S, 5 * S), gaps.map(gapMessage));
  });

test('judgeRecord ignores gaps up to 30 s with short intervals', () => {
  const gaps = gapsIn({ samples: samplesAt(0, 30, 61, 62), ...RECORD }, 62 * S, S);
  assert.deepEqual(gaps, [gapMessage([30, 61, ''])]);
});

const GATES = {
  'fails a gate with fail-if': [CONDITIONS, [], 'failed', 1, 0],
  'is a warning with warn-if': [[], CONDITIONS, 'warned', 0, 2],
  'is a warning without conditions': [[], [], 'none', 0, 2],
} as const;

for (const [name, [failIf, warnIf, state, errors, warnings]] of Object.entries(GATES))
  test(`a gap ${name}`, () => {
    const sampleInterval = 5 * S;
    const record = { samples: samplesAt(0, 60, 120), ...RECORD };
    const report = judgeRecord({ failIf, warnIf, sampleInterval }, record, {
      from: 0,
      to: 130 * S,
    });
    assert.equal(report.measured.gate.state, state);
    assert.deepEqual([report.errors.length, report.warnings.length], [errors, warnings]);
    const [first = ''] = [...report.errors.map(({ message }) => message), ...report.warnings];
    assert.equal(first, 'The sandbox was not seen from 00:00:00 UTC to 00:01:00 UTC.');
    assert.deepEqual(report.measured.monitored, { from: 0, to: 130 * S });
  });

test('a record without samples is one gap', () => {
  const inputs = { failIf: CONDITIONS, warnIf: [], sampleInterval: S };
  const { errors } = judgeRecord(inputs, { ...RECORD, samples: [] }, { from: S, to: 2 * S });
  const messages = errors.map(({ message }) => message);
  assert.deepEqual(messages, ['The sandbox was not seen from 00:00:01 UTC to 00:00:02 UTC.']);
});
