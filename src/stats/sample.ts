import { AgentError } from '../agent/failure.ts';
import type { Outcome, Sleep } from '../agent/retry.ts';
import type { Condition } from '../gate/conditions.ts';
import { type Judgement, judge } from '../gate/judge.ts';
import type { Stats } from './stats.ts';

export interface Sample extends Stats {
  /** Arrival time by the runner's clock, in Unix milliseconds. */
  readonly at: number;
}

export type Observation = Sample | { readonly failure: string };

/** Takes one sample, or says why the request failed. */
export async function observe(read: () => Promise<Stats>, now: () => number): Promise<Observation> {
  try {
    const stats = await read();
    return { at: now(), ...stats };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return { failure: error.message };
  }
}

type ReadStats = () => Promise<Outcome<Stats>>;

interface SampleOptions {
  readonly sleep: Sleep;
  readonly count: number;
  readonly intervalMs: number;
  /** True if an earlier request started the period that the first CPU figure covers. */
  readonly cpuWindowStarted: boolean;
  readonly stop: AbortSignal;
  readonly now: () => number;
}

/**
 * Takes samples, oldest first, until one fails. A CPU figure covers the time since the previous
 * request, so unless `cpuWindowStarted`, the first of several samples is dropped.
 */
export async function takeSamples(
  read: ReadStats,
  { count, intervalMs, cpuWindowStarted, sleep, stop, now }: SampleOptions,
): Promise<{ readonly samples: readonly Sample[]; readonly error?: AgentError }> {
  const dropped = count > 1 && !cpuWindowStarted ? 1 : 0;
  const samples: Sample[] = [];
  do {
    const outcome = await read();
    if ('error' in outcome) return { samples: samples.slice(dropped), error: outcome.error };
    samples.push({ at: now(), ...outcome.value });
  } while (samples.length < count + dropped && (await sleep(intervalMs, stop)));
  return { samples: samples.slice(dropped) };
}

export interface WaitResult {
  readonly isReady: boolean;
  readonly waitedMs: number;
  /** Conditions that were not met by the last sample that could be read. */
  readonly unmet: readonly Judgement[];
  readonly error: AgentError | undefined;
}

interface WaitOptions {
  readonly sleep: Sleep;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly stop: AbortSignal;
  readonly clock: () => number;
  readonly onSample: (result: WaitResult) => void;
}

/** Takes samples until all conditions hold, the time is up or an error cannot be retried. */
export async function waitUntil(
  conditions: readonly Condition[],
  read: ReadStats,
  { intervalMs, timeoutMs, sleep, stop, clock, onSample }: WaitOptions,
): Promise<WaitResult> {
  const start = clock();
  let unmet: readonly Judgement[] = [];
  for (;;) {
    const outcome = await read();
    const error = 'error' in outcome ? outcome.error : undefined;
    if ('value' in outcome) unmet = findUnmet(conditions, outcome.value);
    const isReady = error === undefined && unmet.length === 0;
    const result = { isReady, waitedMs: clock() - start, unmet, error };
    onSample(result);
    const leftMs = timeoutMs - result.waitedMs;
    const isOver = isReady || leftMs <= 0 || error?.isRetryable === false;
    if (isOver || !(await sleep(Math.min(intervalMs, leftMs), stop))) return result;
  }
}

export function findUnmet(conditions: readonly Condition[], stats: Stats): Judgement[] {
  return conditions.map(each => judge(each, [stats])).filter(({ holds }) => holds !== true);
}
