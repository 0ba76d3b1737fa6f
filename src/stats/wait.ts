import { AgentError } from '../agent/failure.ts';
import type { Condition } from '../gate/conditions.ts';
import { type Judgement, judge } from '../gate/judge.ts';
import type { Stats } from './decode.ts';
import { slept, type Timing } from './sample.ts';

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

/**
 * Asks for the stats until every condition holds in one sample. An agent that is not up yet does not hold yet; what no
 * waiting can mend, such as a wrong token, ends the wait.
 */
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
    const hopeless = error !== undefined && !error.retryable;
    const end = { held: false, waitedMs, missing, error } as const;
    const leftMs = timeoutMs - waitedMs;
    if (hopeless || stop.aborted || leftMs <= 0) return end;
    if (!(await slept(sleep(Math.min(intervalMs, leftMs), stop)))) return end;
  }
}

/** The conditions that do not hold now, or why that cannot be told. */
async function lookAt(
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
