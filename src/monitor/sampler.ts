import { existsSync } from 'node:fs';
import { AgentError } from '../agent/failure.ts';
import { systemCode } from '../agent/file.ts';
import type { Stats } from '../stats/decode.ts';
import type { Timing } from '../stats/sample.ts';
import { isEndRequested, type Recorder } from './record.ts';

// More would take the post step too long to read.
const MAX_READINGS = 50_000;

/** Takes a sample at once, after each interval, and when `timing.stop` aborts. A reading that fails is a gap; bugs pass through. */
export async function sampleOn(
  read: () => Promise<Stats>,
  recorder: Recorder,
  intervalMs: number,
  { sleep, stop, now }: Timing,
): Promise<void> {
  recorder.start(now());
  let [isLast, isSeen] = [false, false];
  for (let readings = 1; !isLast; readings += 1) {
    isLast = stop.aborted || readings >= MAX_READINGS || recorder.isFull();
    try {
      const stats = await read();
      recorder.sample(now(), stats);
      isSeen = true;
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      recorder.gap({ at: now(), what: isSeen && error.kind === 'sandbox-not-found' ? GONE : sayingOf(error) });
    }
    if (!isLast) await sleep(intervalMs, stop);
  }
  recorder.end({ at: now(), what: stop.aborted ? String(stop.reason) : 'its record was full' });
}

/** What a reading finds of a sandbox that it found before: most often, the job deleted it. */
export const GONE = 'the sandbox was gone';

/** With what to do about it, where the next reading would not mend it. */
function sayingOf({ kind, message, hint, retryable }: AgentError): string {
  return retryable || kind === 'cancelled' ? message : `${message} ${hint}`;
}

/** The reason of a monitor that the post step ended. */
export const ASKED = 'the job asked for it';

const JOB_GONE = 'its job is gone';

const LOOK_MS = 200;

const LAST_READING_MS = 5000;

/**
 * Watches for what ends a monitor: the post step asks for it, its time is up, or its job is gone. `stop` aborts then, with
 * the reason, and `cancel` when even the last reading must end.
 */
export function watchForEnd(directory: string, jobPid: number, maxDurationMs: number) {
  const stop = new AbortController();
  const cancel = new AbortController();
  const started = performance.now();
  const look = setInterval(() => {
    const why = reasonToEnd(directory, jobPid, performance.now() - started > maxDurationMs);
    if (why === undefined || stop.signal.aborted) return;
    stop.abort(why);
    // A job that is gone has no use for a last reading.
    setTimeout(() => cancel.abort(), why === JOB_GONE ? 0 : LAST_READING_MS).unref();
  }, LOOK_MS);
  return { stop: stop.signal, cancel: cancel.signal, close: () => clearInterval(look) };
}

function reasonToEnd(directory: string, jobPid: number, isTimeUp: boolean): string | undefined {
  if (isEndRequested(directory)) return ASKED;
  if (!existsSync(directory) || !isRunning(jobPid)) return JOB_GONE;
  return isTimeUp ? 'max-duration was over' : undefined;
}

function isRunning(pid: number): boolean {
  try {
    // Signal 0 only asks. A process of another user answers EPERM, and is there.
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
