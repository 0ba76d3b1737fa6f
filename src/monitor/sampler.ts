import { existsSync } from 'node:fs';
import { AgentError } from '../agent/failure.ts';
import type { Timing } from '../stats/sample.ts';
import type { Stats } from '../stats/stats.ts';
import { systemCode } from '../text/system-error.ts';
import { isEndRequested } from './directory.ts';
import type { Recorder } from './recorder.ts';

/** Records a sample at once, after each interval, and when `stop` aborts. Bugs pass through. */
export async function recordSamples(
  read: () => Promise<Stats>,
  recorder: Recorder,
  intervalMs: number,
  { sleep, stop, now }: Timing,
): Promise<void> {
  recorder.start(now());
  let isSeen = false;
  for (;;) {
    const isLast = stop.aborted || recorder.isFull();
    try {
      const stats = await read();
      recorder.sample(now(), stats);
      isSeen = true;
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      const isGone = isSeen && error.kind === 'sandbox-not-found';
      recorder.gap({ at: now(), what: isGone ? GONE : gapReason(error) });
    }
    if (isLast) break;
    await sleep(intervalMs, stop);
  }
  recorder.end({ at: now(), what: stop.aborted ? String(stop.reason) : 'its record was full' });
}

/** The gap of a sandbox that was there before: most often, the job deleted it. */
export const GONE = 'the sandbox was gone';

/** The message, with the advice if the next sample will not succeed by itself. */
function gapReason({ kind, message, hint, isRetryable }: AgentError): string {
  return isRetryable || kind === 'cancelled' ? message : `${message} ${hint}`;
}

/** The end of a monitor that a step asked to stop. */
export const ASKED = 'the job asked for it';

const JOB_GONE = 'its job is gone';

const CHECK_MS = 200;

const LAST_SAMPLE_MS = 5000;

/**
 * Watches for what ends a monitor. `stop` then aborts with the reason, and `cancel` when even the
 * last sample must end.
 */
export function watchForEnd(directory: string, jobPid: number, maxDurationMs: number) {
  const stop = new AbortController();
  const cancel = new AbortController();
  const started = performance.now();
  const timer = setInterval(() => {
    const isTimeUp = performance.now() - started > maxDurationMs;
    const reason = findReasonToEnd(directory, jobPid, isTimeUp);
    if (reason === undefined || stop.signal.aborted) return;
    stop.abort(reason);
    // A job that is gone has no use for a last sample.
    setTimeout(() => cancel.abort(), reason === JOB_GONE ? 0 : LAST_SAMPLE_MS).unref();
  }, CHECK_MS);
  return { stop: stop.signal, cancel: cancel.signal, close: () => clearInterval(timer) };
}

function findReasonToEnd(directory: string, jobPid: number, isTimeUp: boolean): string | undefined {
  if (isEndRequested(directory)) return ASKED;
  if (!existsSync(directory) || !isRunning(jobPid)) return JOB_GONE;
  return isTimeUp ? 'max-duration was over' : undefined;
}

function isRunning(pid: number): boolean {
  try {
    // Signal 0 only checks.
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process is there, but belongs to another user.
    return systemCode(error) === 'EPERM';
  }
}
