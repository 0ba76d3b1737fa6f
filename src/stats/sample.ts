import { AgentError } from '../agent/failure.ts';
import type { Outcome, RetryPolicy } from '../agent/retry.ts';
import type { Condition } from '../gate/conditions.ts';
import { type Judgement, judge } from '../gate/judge.ts';
import type { Figures } from '../gate/metrics.ts';
import type { Stats } from './stats.ts';

export interface Sample {
  /** Time of arrival on the runner's clock, in Unix milliseconds. */
  readonly at: number;
  readonly figures: Figures;
}

export interface Samples {
  /** Oldest first. */
  readonly samples: readonly Sample[];
  readonly stats: Stats | undefined;
  readonly warnings: readonly string[];
}

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
  /** True if an earlier request started the interval of the first CPU figure. */
  readonly hasPrevious: boolean;
  readonly stop: AbortSignal;
  readonly now: () => number;
}

/**
 * Takes samples until one fails. CPU figures cover the time since the previous request; without
 * one, the first of several samples is dropped.
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

export interface WaitResult {
  readonly held: boolean;
  readonly waitedMs: number;
  /** Conditions that the last good sample did not meet. */
  readonly unmet: readonly Judgement[];
  readonly error: AgentError | undefined;
}

export interface WaitOptions extends Pick<RetryPolicy, 'sleep'> {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly stop: AbortSignal;
  readonly clock: () => number;
  readonly onSample: (result: WaitResult) => void;
}

/** Samples until all conditions hold, time is up or an error is permanent. */
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

export function findUnmet(conditions: readonly Condition[], figures: Figures): Judgement[] {
  return conditions
    .map(condition => judge(condition, [figures]))
    .filter(({ holds }) => holds !== true);
}

/** Returns an AgentError instead of throwing it. */
async function orError(read: () => Promise<Stats>): Promise<Stats | AgentError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
}
