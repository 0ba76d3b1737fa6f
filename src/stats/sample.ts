import { AgentError } from '../agent/failure.ts';
import type { Outcome, RetryPolicy } from '../agent/retry.ts';
import type { Condition } from '../gate/conditions.ts';
import { type Judgement, judge } from '../gate/judge.ts';
import type { Figures } from '../gate/metrics.ts';
import type { Stats } from './stats.ts';

/** The figures of one GET of the stats. */
export interface Sample {
  /** When the answer came by the runner's clock, in milliseconds since 1970. */
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

/** Stats, and when they were read. */
export interface Reading {
  readonly at: number;
  readonly stats: Stats;
}

export function samplesOf(readings: readonly Reading[]): Samples {
  return {
    samples: readings.map(({ at, stats }) => ({ at, figures: stats.figures })),
    stats: readings.at(-1)?.stats,
    warnings: [...new Set(readings.flatMap(({ stats }) => stats.warnings))],
  };
}

interface SampleOptions extends Pick<RetryPolicy, 'sleep'> {
  readonly count: number;
  readonly intervalMs: number;
  /** Whether an earlier request started the time that the first CPU figure covers. */
  readonly hasPrevious: boolean;
  readonly stop: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Takes samples until one fails. The CPU figure covers the time since the last request, so without
 * a previous one, several samples start with one that does not count.
 */
export async function takeSamples(
  read: () => Promise<Outcome<Stats>>,
  { count, intervalMs, hasPrevious, sleep, stop, now }: SampleOptions,
): Promise<Samples & { readonly error: AgentError | undefined }> {
  const dropped = count > 1 && !hasPrevious ? 1 : 0;
  const readings: Reading[] = [];
  let error: AgentError | undefined;
  do {
    const outcome = await read();
    if ('error' in outcome) error = outcome.error;
    else readings.push({ at: now(), stats: outcome.value });
  } while (
    error === undefined &&
    readings.length < count + dropped &&
    (await sleep(intervalMs, stop))
  );
  return { ...samplesOf(readings.slice(dropped)), error };
}

/** The state of a wait. */
export interface WaitResult {
  /** Whether all conditions held in one sample. */
  readonly held: boolean;
  readonly waitedMs: number;
  /** The conditions that did not hold in the last good sample; empty if there was none. */
  readonly unmet: readonly Judgement[];
  /** Why the last sample failed, if it did. */
  readonly error: AgentError | undefined;
}

export interface WaitOptions extends Pick<RetryPolicy, 'sleep'> {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly stop: AbortSignal;
  /** Milliseconds on a clock that does not jump. */
  readonly clock: () => number;
  readonly onSample: (result: WaitResult) => void;
}

/** Takes samples until all conditions hold in one, time is up, or waiting cannot mend an error. */
export async function waitUntil(
  conditions: readonly Condition[],
  read: () => Promise<Stats>,
  { intervalMs, timeoutMs, sleep, stop, clock, onSample }: WaitOptions,
): Promise<WaitResult> {
  const start = clock();
  let unmet: readonly Judgement[] = [];
  for (;;) {
    const sampled = await orError(read);
    const error = sampled instanceof AgentError ? sampled : undefined;
    if (!(sampled instanceof AgentError)) unmet = findUnmet(conditions, sampled.figures);
    const held = error === undefined && unmet.length === 0;
    const result = { held, waitedMs: clock() - start, unmet, error };
    onSample(result);
    const leftMs = timeoutMs - result.waitedMs;
    const isOver = held || leftMs <= 0 || error?.isRetryable === false;
    if (isOver || !(await sleep(Math.min(intervalMs, leftMs), stop))) return result;
  }
}

/** The conditions that do not hold, or cannot be judged. */
export function findUnmet(conditions: readonly Condition[], figures: Figures): Judgement[] {
  return conditions
    .map(condition => judge(condition, [figures]))
    .filter(({ holds }) => holds !== true);
}

/** The stats, or why there are none. Bugs pass through. */
export async function orError(read: () => Promise<Stats>): Promise<Stats | AgentError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
}
