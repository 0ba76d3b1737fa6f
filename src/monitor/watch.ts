import { AgentError } from '../agent/failure.ts';
import type { Stats } from '../stats/decode.ts';
import { slept, type Timing } from '../stats/sample.ts';
import type { Recorder } from './record.ts';

// More would take the post step too long to read.
const MAX_READINGS = 50_000;

/**
 * Takes a sample at once, one after each interval, and a last one when `timing.stop` aborts; 50,000 at most. A reading
 * that fails is a gap in the record. Errors that are not the agent's are bugs and pass through.
 */
export async function watch(
  read: () => Promise<Stats>,
  recorder: Recorder,
  intervalMs: number,
  { sleep, stop, now }: Timing,
): Promise<void> {
  let isLast = false;
  for (let readings = 1; !isLast; readings += 1) {
    isLast = stop.aborted || readings >= MAX_READINGS;
    try {
      const stats = await read();
      recorder.sample(now(), stats);
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      recorder.gap({ at: now(), what: sayingOf(error) });
    }
    if (!isLast) await slept(sleep(intervalMs, stop));
  }
}

/** With what to do about it, where the next reading would not mend it. */
function sayingOf({ kind, message, hint, retryable }: AgentError): string {
  return retryable || kind === 'cancelled' ? message : `${message} ${hint}`;
}
