import type { AgentError } from '../agent/failure.ts';
import type { Outcome } from '../agent/retry.ts';
import type { Stats } from './decode.ts';

/** One reading of the sandbox's stats. */
export interface Sample {
  /** When it was taken by the runner's clock, in milliseconds since 1970. */
  readonly at: number;
  readonly stats: Stats;
}

/** What a sampling takes its time from. */
export interface Timing {
  /** Resolves after so many milliseconds, or rejects when the signal aborts. */
  readonly sleep: (ms: number, stop: AbortSignal) => Promise<void>;
  readonly stop: AbortSignal;
  /** Milliseconds: since 1970 for samples, on a clock that does not jump for waiting. */
  readonly now: () => number;
}

/** The samples taken, the oldest first, and the error that ended the sampling early. */
export interface Samples {
  readonly samples: readonly Sample[];
  readonly error: AgentError | undefined;
}

/**
 * Reads the stats so many times. Before several readings one more is made and dropped: an agent's CPU figure covers the
 * time since it was last asked, by whomever.
 */
export async function takeSamples(
  read: () => Promise<Outcome<Stats>>,
  { samples: count, intervalMs }: { readonly samples: number; readonly intervalMs: number },
  { sleep, stop, now }: Timing,
): Promise<Samples> {
  const samples: Sample[] = [];
  const readings = count > 1 ? count + 1 : count;
  for (let reading = 1; reading <= readings; reading += 1) {
    const outcome = await read();
    if ('error' in outcome) return { samples, error: outcome.error };
    if (readings === count || reading > 1) samples.push({ at: now(), stats: outcome.value });
    if (reading < readings && !(await slept(sleep(intervalMs, stop)))) break;
  }
  return { samples, error: undefined };
}

/** Whether a sleep came to its end. */
export function slept(sleep: Promise<void>): Promise<boolean> {
  return sleep.then(
    () => true,
    () => false,
  );
}
