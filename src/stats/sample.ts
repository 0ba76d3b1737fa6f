import { AgentError } from '../agent/failure.ts';
import type { Outcome, RetryPolicy } from '../agent/retry.ts';
import type { Condition } from '../gate/conditions.ts';
import { type Judgement, judge } from '../gate/judge.ts';
import type { Figures } from '../gate/metrics.ts';
import type { Stats } from './decode.ts';

/** One reading of the sandbox's stats. */
export interface Sample {
  /** When it was taken by the runner's clock, in milliseconds since 1970. */
  readonly at: number;
  readonly figures: Figures;
}

/** What reading several times came to. */
export interface Samples {
  /** The oldest first. */
  readonly samples: readonly Sample[];
  /** The stats of the last sample. */
  readonly stats: Stats | undefined;
  /** Those of all readings, each once. */
  readonly warnings: readonly string[];
}

/** What reading again and again takes its time from. */
export interface Timing extends Pick<RetryPolicy, 'sleep'> {
  readonly stop: AbortSignal;
  /** Milliseconds: since 1970 for samples, on a clock that does not jump for waiting. */
  readonly now: () => number;
}

/** What a wait has come to: `held` says whether all conditions held in one sample. */
export interface Wait {
  readonly held: boolean;
  readonly waitedMs: number;
  /** The conditions that did not hold in the last sample seen, with its figures; empty if there was none. */
  readonly missing: readonly Judgement[];
  /** Why the last reading failed, if it did. */
  readonly error: AgentError | undefined;
}

/**
 * Reads the stats so many times, and before several once more, unless they were read before: an agent's CPU figure covers
 * the time since it was last asked.
 */
export async function takeSamples(
  read: () => Promise<Outcome<Stats>>,
  { count, intervalMs, wasRead }: { readonly count: number; readonly intervalMs: number; readonly wasRead: boolean },
  { sleep, stop, now }: Timing,
): Promise<Samples & { readonly error: AgentError | undefined }> {
  const samples: Sample[] = [];
  const warnings = new Set<string>();
  let [stats, error]: [Stats | undefined, AgentError | undefined] = [undefined, undefined];
  let isDropped = count > 1 && !wasRead;
  do {
    const outcome = await read();
    if ('error' in outcome) {
      error = outcome.error;
      break;
    }
    if (!isDropped) {
      stats = outcome.value;
      samples.push({ at: now(), figures: stats.figures });
      for (const warning of stats.warnings) warnings.add(warning);
    }
    isDropped = false;
  } while (samples.length < count && (await sleep(intervalMs, stop)));
  return { samples, stats, warnings: [...warnings], error };
}

/** How long to wait, in milliseconds, and who is told after each reading. */
export interface Patience {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly onLook: (wait: Wait) => void;
}

/** Asks for the stats until every condition holds in one sample, time runs out, or waiting cannot mend what is wrong. */
export async function waitUntil(
  conditions: readonly Condition[],
  read: () => Promise<Stats>,
  { intervalMs, timeoutMs, onLook }: Patience,
  { sleep, stop, now }: Timing,
): Promise<Wait> {
  const start = now();
  let missing: readonly Judgement[] = [];
  for (;;) {
    const look = await lookAt(conditions, read);
    const error = look instanceof AgentError ? look : undefined;
    if (!(look instanceof AgentError)) missing = look;
    const wait = { held: error === undefined && missing.length === 0, waitedMs: now() - start, missing, error };
    onLook(wait);
    const leftMs = timeoutMs - wait.waitedMs;
    const mayMend = !wait.held && leftMs > 0 && !stop.aborted && error?.retryable !== false;
    if (!mayMend || !(await sleep(Math.min(intervalMs, leftMs), stop))) return wait;
  }
}

/** The conditions that do not hold now, or why that cannot be told. */
export async function lookAt(
  conditions: readonly Condition[],
  read: () => Promise<Stats>,
): Promise<Judgement[] | AgentError> {
  try {
    const { figures } = await read();
    return conditions.map(condition => judge(condition, [figures])).filter(({ holds }) => holds !== true);
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
}
