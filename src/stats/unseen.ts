import { formatDuration, formatTime } from '../text/format.ts';
import type { Sample } from './sample.ts';

/** A time in which the sandbox was not seen, in milliseconds since 1970. */
export interface UnseenTime {
  readonly from: number;
  readonly to: number;
  /** Why, as the end of a sentence; empty if nobody knows. */
  readonly why: string;
}

// `ts` counts seconds; a cached answer may be some seconds old.
const MIN_STALE_MS = 10_000;

/** The times in which the sandbox's clock stood still. A clock at 0 counts as not reported. */
export function findStaleTimes(samples: readonly Sample[]): UnseenTime[] {
  const times: UnseenTime[] = [];
  let first: Sample | undefined;
  for (const [index, sample] of samples.entries()) {
    const ts = sample.figures.get('ts') ?? 0;
    if (first?.figures.get('ts') !== ts) first = sample;
    const isLast = samples[index + 1]?.figures.get('ts') !== ts;
    const ms = sample.at - first.at;
    if (!isLast || ts === 0 || ms < MIN_STALE_MS) continue;
    const why = `since its clock (ts) stood still for ${formatDuration(ms)}: the stats were stale or cached`;
    times.push({ from: first.at, to: sample.at, why });
  }
  return times;
}

/** Says when the sandbox was not seen, and why. */
export function describeUnseen({ from, to, why }: UnseenTime): string {
  const because = why === '' ? '' : `, ${why}`;
  return `The sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}${because}.`;
}
