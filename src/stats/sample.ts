import { AgentError } from '../agent/failure.ts';
import type { Outcome, RetryPolicy } from '../agent/retry.ts';
import type { Condition } from '../gate/conditions.ts';
import { type Judgement, judge } from '../gate/judge.ts';
import type { Figures } from '../gate/metrics.ts';
import type { Stats } from './stats.ts';

/** The figures of one GET of the stats. */
export interface Sample {
  /** When it was taken by the runner's clock, in milliseconds since 1970. */
  readonly at: number;
  readonly figures: Figures;
}

export interface Samples {
  /** Oldest first. */
  readonly samples: readonly Sample[];
  /** The stats of the last sample. */
  readonly stats: Stats | undefined;
  /** The warnings of all samples, each once. */
  readonly warnings: readonly string[];
}

export interface Timing extends Pick<RetryPolicy, 'sleep'> {
  readonly stop: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The state of a wait. */
export interface Wait {
  /** Whether all conditions held in one sample. */
  readonly held: boolean;
  readonly waitedMs: number;
  /** The conditions that did not hold in the last good sample; empty if there was none. */
  readonly unmet: readonly Judgement[];
  /** Why the last sample failed, if it did. */
  readonly error: AgentError | undefined;
}

interface SampleOptions {
  readonly count: number;
  readonly intervalMs: number;
  /** The sample before these, if there was one. */
  readonly previous: Sample | undefined;
}

/**
 * Takes samples. The CPU figure covers the time since the last one, so without a `previous` sample,
 * several start with one that does not count.
 */
export async function takeSamples(
  read: () => Promise<Outcome<Stats>>,
  { count, intervalMs, previous }: SampleOptions,
  { sleep, stop, now }: Timing,
): Promise<
  Samples & { readonly previous: Sample | undefined; readonly error: AgentError | undefined }
> {
  const samples: Sample[] = [];
  const warnings = new Set<string>();
  let before = previous;
  let stats: Stats | undefined;
  let error: AgentError | undefined;
  do {
    const outcome = await read();
    if ('error' in outcome) {
      error = outcome.error;
      break;
    }
    const sample = { at: now(), figures: outcome.value.figures };
    if (count > 1 && before === undefined) {
      before = sample;
      continue;
    }
    samples.push(sample);
    stats = outcome.value;
    for (const warning of stats.warnings) warnings.add(warning);
  } while (samples.length < count && (await sleep(intervalMs, stop)));
  return { samples, stats, warnings: [...warnings], previous: before, error };
}

/** How long to wait, in milliseconds, and who is told after each sample. */
export interface Patience {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly onSample: (wait: Wait) => void;
  /** Whether waiting can mend an error. By default, it mends those that are retryable. */
  readonly mayMend?: (error: AgentError) => boolean;
}

interface WaitTiming extends Omit<Timing, 'now'> {
  /** Milliseconds on a clock that does not jump. */
  readonly clock: () => number;
}

/** Takes samples until all conditions hold in one, time is up, or waiting cannot mend an error. */
export async function waitUntil(
  conditions: readonly Condition[],
  read: () => Promise<Stats>,
  { intervalMs, timeoutMs, onSample, mayMend = ({ isRetryable }) => isRetryable }: Patience,
  { sleep, stop, clock }: WaitTiming,
): Promise<Wait> {
  const start = clock();
  let unmet: readonly Judgement[] = [];
  for (;;) {
    const sampled = await tryToSample(read);
    const error = sampled instanceof AgentError ? sampled : undefined;
    if (!(sampled instanceof AgentError)) unmet = findUnmet(conditions, sampled.figures);
    const held = error === undefined && unmet.length === 0;
    const wait = { held, waitedMs: clock() - start, unmet, error };
    onSample(wait);
    const leftMs = timeoutMs - wait.waitedMs;
    const isOver = held || leftMs <= 0 || stop.aborted || (error && !mayMend(error));
    if (isOver || !(await sleep(Math.min(intervalMs, leftMs), stop))) return wait;
  }
}

/** The stats, or why there are none. Bugs pass through. */
export async function tryToSample(read: () => Promise<Stats>): Promise<Stats | AgentError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
}

/** The conditions that do not hold, or cannot be judged. */
export function findUnmet(conditions: readonly Condition[], figures: Figures): Judgement[] {
  return conditions
    .map(condition => judge(condition, [figures]))
    .filter(({ holds }) => holds !== true);
}
