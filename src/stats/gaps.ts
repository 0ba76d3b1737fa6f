import { judgeGate } from '../gate/judge.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { FailedObservation, SampleRecord } from './sampling.ts';
import type { Gap, MonitoredTime, StatsResult } from './stats.ts';

type Times = Pick<MonitoredTime, 'from' | 'to'>;

/** Judges a record between two times. With a gap, or in a cancelled step, the gate cannot pass. */
export function judgeRecord(
  inputs: Pick<Inputs<'monitor'>, 'failIf' | 'warnIf' | 'sampleInterval'>,
  record: SampleRecord,
  time: Times,
  { cancelled }: { readonly cancelled: boolean },
): StatsResult & { readonly monitored: MonitoredTime } {
  const { observations, response } = record;
  const samples = observations.filter(observation => observation.kind === 'sample');
  const failures = observations.filter(observation => observation.kind === 'failure');
  // A cancelled step cuts requests off itself.
  const seen = cancelled
    ? { gaps: [], failures: [] }
    : { gaps: findGaps(record, time, inputs.sampleInterval), failures };
  const gate = judgeGate(inputs, samples, cancelled || seen.gaps.length > 0);
  return { samples, response, gate, monitored: { ...time, ...seen } };
}

function findGaps(record: SampleRecord, { from, to }: Times, intervalMs: number): Gap[] {
  const { observations, end } = record;
  const gaps: Gap[] = [];
  let last = from;
  let failures: FailedObservation[] = [];
  for (const observation of observations) {
    if (observation.kind === 'failure') {
      failures.push(observation);
      continue;
    }
    const until = Math.min(observation.at, to);
    if (until - last > longestPause(failures, intervalMs, OUTAGE_MS))
      gaps.push({ from: last, to: until, samplingEnd: 'requested', failures });
    last = until;
    failures = [];
  }
  // A monitor takes its first sample at `from`, which alone shows nothing of the job. One failure
  // is normal, since a step may delete the sandbox before the last sample.
  const isBlind = last === from && (failures.length === observations.length || failures.length > 1);
  const isSeen = !isBlind && to - last <= longestPause(failures, intervalMs, END_MS);
  if (end === 'requested' && isSeen) return gaps;
  return [...gaps, { from: last, to, samplingEnd: end, failures }];
}

// A pause without a failed sample means that the runner stalled, not the sandbox.
const IDLE_INTERVALS = 10;
const MIN_IDLE_MS = 30_000;

// After a failed sample, the pause is shorter: connections are often lost for some seconds, but at
// the end, nothing shows that this one came back.
const FAILED_INTERVALS = 2;
const OUTAGE_MS = 10_000;
const END_MS = 3000;

function longestPause(
  failures: readonly FailedObservation[],
  intervalMs: number,
  extraMs: number,
): number {
  if (failures.length > 0) return FAILED_INTERVALS * intervalMs + extraMs;
  return Math.max(IDLE_INTERVALS * intervalMs, MIN_IDLE_MS);
}
