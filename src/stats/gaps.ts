import { type Gate, judgeGate } from '../gate/judge.ts';
import type { Sample } from '../gate/metrics.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { type FailedAttempt, type SampleRecord, samplesIn } from './samples.ts';

/** A time in which the sandbox was not seen, in Unix milliseconds. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  /** Why sampling ended in this gap, if it did. */
  readonly sampling: SampleRecord['end'];
}

/** The time that a monitor or a run covers, in Unix milliseconds. */
export interface MonitoredTime {
  readonly from: number;
  readonly to: number;
  readonly gaps: readonly Gap[];
  readonly failures: readonly FailedAttempt[];
}

/** A StatsResult of a monitor or a run. */
export interface MonitoredStats {
  readonly samples: readonly Sample[];
  readonly response: string;
  readonly gate: Gate;
  readonly monitored: MonitoredTime;
}

/** Judges a record between two times in Unix milliseconds. With a gap, the gate cannot pass. */
export function judgeRecord(
  inputs: Pick<Inputs<'monitor'>, 'failIf' | 'warnIf' | 'sampleInterval'>,
  record: SampleRecord,
  { from, to }: Readonly<Record<'from' | 'to', number>>,
): MonitoredStats {
  const samples = samplesIn(record.attempts);
  const failures = record.attempts.filter(attempt => attempt.kind === 'failure');
  const gaps = findGaps(record, from, to, inputs.sampleInterval);
  return {
    samples,
    response: record.response,
    gate: judgeGate(inputs, samples, gaps.length > 0),
    monitored: { from, to: Math.max(samples.at(-1)?.at ?? to, to), gaps, failures },
  };
}

// Runners and networks stall, so a few slow responses must not count as a gap.
const GAP_INTERVALS = 10;
const MIN_GAP_MS = 30_000;

function findGaps(
  { attempts, end }: SampleRecord,
  from: number,
  to: number,
  intervalMs: number,
): Gap[] {
  const longest = Math.max(GAP_INTERVALS * intervalMs, MIN_GAP_MS);
  const samples = samplesIn(attempts);
  const gaps: Gap[] = [];
  let last = from;
  for (const { at } of samples) {
    if (at - last > longest) gaps.push({ from: last, to: at, sampling: 'requested' });
    last = at;
  }
  // A monitor takes its first sample at `from`, which alone shows nothing of the job. One failure is
  // normal, since a step may delete the sandbox before the last sample.
  const failureCount = attempts.length - samples.length;
  const isBlind = last === from && (samples.length === 0 || failureCount > 1);
  if (end === 'requested' && !isBlind && to - last <= longest) return gaps;
  return [...gaps, { from: last, to: Math.max(to, last), sampling: end }];
}
