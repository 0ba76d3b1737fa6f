import { AgentError } from '../agent/failure.ts';
import { type Outcome, type RetryPolicy, slept } from '../agent/retry.ts';
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

/** How a wait ended: all conditions held in one sample; or time ran out, or the sandbox cannot be waited for. */
export type WaitEnd =
  | { readonly held: true; readonly waitedMs: number }
  | {
      readonly held: false;
      readonly waitedMs: number;
      /** The conditions that did not hold in the last sample seen, with its figures; empty if there was none. */
      readonly missing: readonly Judgement[];
      /** Why the last reading failed, if it did. */
      readonly error: AgentError | undefined;
    };

/** Reads the stats so many times, and before several once more: an agent's CPU figure covers the time since it was last asked. */
export async function takeSamples(
  read: () => Promise<Outcome<Stats>>,
  { samples: count, intervalMs }: { readonly samples: number; readonly intervalMs: number },
  { sleep, stop, now }: Timing,
): Promise<Samples & { readonly error: AgentError | undefined }> {
  const samples: Sample[] = [];
  const warnings = new Set<string>();
  let [stats, error]: [Stats | undefined, AgentError | undefined] = [undefined, undefined];
  const readings = count > 1 ? count + 1 : count;
  for (let reading = 1; reading <= readings; reading += 1) {
    const outcome = await read();
    if ('error' in outcome) {
      error = outcome.error;
      break;
    }
    if (readings === count || reading > 1) {
      stats = outcome.value;
      samples.push({ at: now(), figures: stats.figures });
      for (const warning of stats.warnings) warnings.add(warning);
    }
    if (reading < readings && !(await slept(sleep(intervalMs, stop)))) break;
  }
  return { samples, stats, warnings: [...warnings], error };
}

/** Asks for the stats until every condition holds in one sample, time runs out, or waiting cannot mend what is wrong. */
export async function waitUntil(
  conditions: readonly Condition[],
  read: () => Promise<Stats>,
  { intervalMs, timeoutMs }: { readonly intervalMs: number; readonly timeoutMs: number },
  { sleep, stop, now }: Timing,
): Promise<WaitEnd> {
  const start = now();
  let missing: readonly Judgement[] = [];
  for (;;) {
    const look = await lookAt(conditions, read);
    const error = look instanceof AgentError ? look : undefined;
    if (!(look instanceof AgentError)) missing = look;
    const waitedMs = now() - start;
    if (error === undefined && missing.length === 0) return { held: true, waitedMs };
    const leftMs = timeoutMs - waitedMs;
    const mayMend = leftMs > 0 && !stop.aborted && error?.retryable !== false;
    if (!mayMend || !(await slept(sleep(Math.min(intervalMs, leftMs), stop))))
      return { held: false, waitedMs, missing, error };
  }
}

/** The conditions that do not hold now, or why that cannot be told. */
async function lookAt(conditions: readonly Condition[], read: () => Promise<Stats>): Promise<Judgement[] | AgentError> {
  try {
    const { figures } = await read();
    return conditions.map(condition => judge(condition, [figures])).filter(({ holds }) => holds !== true);
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
}
