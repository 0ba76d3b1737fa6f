import { type Gate, judgeGate } from '../gate/judge.ts';
import type { Sample } from '../gate/metrics.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { type Attempt, type FailedAttempt, type SampleRecord, samplesIn } from './samples.ts';

/** A time in which the sandbox was not seen, in Unix milliseconds. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  /** Why sampling ended in this gap, if it did. */
  readonly sampling: SampleRecord['end'];
  /** The attempts in this gap, all of which failed. */
  readonly failures: readonly FailedAttempt[];
}

type Times = Readonly<Record<'from' | 'to', number>>;

/** The time that a monitor or a run covers, in Unix milliseconds. */
export interface MonitoredTime {
  readonly from: number;
  readonly to: number;
  readonly gaps: readonly Gap[];
  readonly failures: readonly FailedAttempt[];
  /** True if a command was so short that its only sample was asked for after its end. */
  readonly isSampledAfterEnd: boolean;
}

/** A StatsResult of a monitor or a run. */
export interface MonitoredStats {
  readonly samples: readonly Sample[];
  readonly response: string;
  readonly gate: Gate;
  readonly monitored: MonitoredTime;
}

/**
 * Judges a record between two times in Unix milliseconds. With a gap, the gate cannot pass, nor
 * in a cancelled step, which cuts requests off itself.
 */
export function judgeRecord(
  inputs: Pick<Inputs<'monitor'>, 'failIf' | 'warnIf' | 'sampleInterval'>,
  record: SampleRecord,
  { from, to }: Times,
  { cancelled }: { readonly cancelled: boolean },
): MonitoredStats {
  const { attempts, response } = record;
  const samples = samplesIn(attempts);
  const failures = attempts.filter(attempt => attempt.kind === 'failure');
  const first = attempts.find(({ kind }) => kind === 'sample');
  const gaps = cancelled ? [] : findGaps(record, { from, to }, inputs.sampleInterval);
  return {
    samples,
    response,
    gate: judgeGate(inputs, samples, cancelled || gaps.length > 0),
    monitored: {
      from,
      to: Math.max(samples.at(-1)?.at ?? to, to),
      gaps,
      failures: cancelled ? [] : failures,
      isSampledAfterEnd: first !== undefined && first.askedAt > to,
    },
  };
}

/** Returns true if there is a gap unless an attempt that has no answer yet succeeds. */
export function wouldLeaveGap(
  attempts: readonly Attempt[],
  time: Times,
  intervalMs: number,
): boolean {
  const { to } = time;
  const unanswered: FailedAttempt = { kind: 'failure', askedAt: to, answeredAt: to, message: '' };
  const seen = { attempts: [...attempts, unanswered], end: 'requested' } as const;
  return findGaps(seen, time, intervalMs).length > 0;
}

function findGaps(
  { attempts, end }: Pick<SampleRecord, 'attempts' | 'end'>,
  { from, to }: Times,
  intervalMs: number,
): Gap[] {
  const gaps: Gap[] = [];
  let last = from;
  let failures: FailedAttempt[] = [];
  for (const attempt of attempts) {
    if (attempt.kind === 'failure') {
      failures.push(attempt);
      continue;
    }
    const until = Math.min(attempt.answeredAt, to);
    if (until - last > longestTime(failures, intervalMs, OUTAGE_MS))
      gaps.push({ from: last, to: until, sampling: 'requested', failures });
    last = until;
    failures = [];
  }
  // A monitor takes its first sample at `from`, which alone shows nothing of the job. One failure is
  // normal, since a step may delete the sandbox before the last sample.
  const isBlind = last === from && (failures.length === attempts.length || failures.length > 1);
  const isSeen = !isBlind && to - last <= longestTime(failures, intervalMs, END_MS);
  if (end === 'requested' && isSeen) return gaps;
  return [...gaps, { from: last, to, sampling: end, failures }];
}

// Without a failure, nothing was asked: runners stall, which shows nothing about the sandbox.
const IDLE_INTERVALS = 10;
const MIN_IDLE_MS = 30_000;

// With one, the sandbox did not answer. A connection that is lost for some seconds is ordinary, but
// at the end nothing shows that it came back.
const FAILED_INTERVALS = 2;
const OUTAGE_MS = 10_000;
const END_MS = 3000;

function longestTime(
  failures: readonly FailedAttempt[],
  intervalMs: number,
  extraMs: number,
): number {
  if (failures.length > 0) return FAILED_INTERVALS * intervalMs + extraMs;
  return Math.max(IDLE_INTERVALS * intervalMs, MIN_IDLE_MS);
}
