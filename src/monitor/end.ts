import { existsSync } from 'node:fs';
import { systemCode } from '../agent/system-error.ts';
import { isEndRequested } from './record.ts';

const LOOK_MS = 200;

/** How long the last reading may take once the monitor is to end, in milliseconds. */
const LAST_READING_MS = 5000;

/** Why a monitor ends. */
export interface Ending {
  /** Aborts when the monitor is to end; its reason says why. */
  readonly stop: AbortSignal;
  /** Aborts when even the last reading must end. */
  readonly cancel: AbortSignal;
  /** Ends the watching. */
  readonly close: () => void;
}

/** Watches for what ends a monitor: the post step asks for it, its time is up, or its job is gone. */
export function watchForEnd(directory: string, jobPid: number, maxDurationMs: number): Ending {
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

/** The reason of a monitor that the post step ended. */
export const ASKED = 'the job asked for it';

const JOB_GONE = 'its job is gone';

function reasonToEnd(directory: string, jobPid: number, isTimeUp: boolean): string | undefined {
  if (isEndRequested(directory)) return ASKED;
  if (!existsSync(directory) || !isRunning(jobPid)) return JOB_GONE;
  return isTimeUp ? 'its longest duration was over' : undefined;
}

function isRunning(pid: number): boolean {
  try {
    // Signal 0 only asks. A process of another user answers EPERM, and is there.
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
