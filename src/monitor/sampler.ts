import { existsSync, rmSync } from 'node:fs';
import { openClient, proxyCredentials } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import { type RetryPolicy, sleep } from '../agent/retry.ts';
import { parseInputs, secretsIn } from '../inputs/inputs.ts';
import { readStats, type Stats } from '../stats/stats.ts';
import { redactor } from '../text/redact.ts';
import { systemCode } from '../text/unknown.ts';
import {
  ASKED,
  appendLine,
  clockOf,
  filesIn,
  isFull,
  type RecordLine,
  samplerPid,
} from './record.ts';
import type { SamplerTask } from './start.ts';

/** Records samples until something ends the monitor. */
export async function runSampler(directory: string, task: SamplerTask): Promise<void> {
  const inputs = parseInputs('monitor', task.inputs);
  const { stop, cancel, close } = watchForEnd(directory, task.jobPid, inputs.maxDuration);
  const connection = { ...inputs, timeout: sampleTimeout(inputs) };
  const redact = redactor([...secretsIn(task.inputs), ...proxyCredentials()]);
  const client = openClient(connection, { cancel, now: Date.now, redact });
  try {
    await recordSamples(() => readStats(client, inputs.statsPath), {
      intervalMs: inputs.sampleInterval,
      sleep,
      stop,
      now: clockOf(task.start),
      write: line => appendLine(directory, line, redact),
      isFull: () => isFull(directory),
    });
  } catch (error) {
    // The end step quotes the last line, which would be Node's version if this was not caught.
    process.stderr.write(`${String(error)}\n`);
  }
  close();
  await client.close();
  signOff(directory);
}

const MIN_TIMEOUT_MS = 10_000;

/** Milliseconds for one sample: few enough that one slow answer opens no gap. */
export function sampleTimeout({
  timeout,
  sampleInterval,
}: {
  readonly timeout: number;
  readonly sampleInterval: number;
}): number {
  return Math.min(timeout, Math.max(MIN_TIMEOUT_MS, sampleInterval));
}

interface Recording extends Pick<RetryPolicy, 'sleep'> {
  readonly intervalMs: number;
  readonly stop: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly write: (line: RecordLine) => void;
  readonly isFull: () => boolean;
}

/** Records a sample after each interval, and a last one when `stop` aborts. Bugs pass through. */
export async function recordSamples(
  read: () => Promise<Stats>,
  { intervalMs, sleep, stop, now, write, isFull }: Recording,
): Promise<void> {
  while (!stop.aborted && !isFull()) {
    await sleep(intervalMs, stop);
    try {
      const { json } = await read();
      write({ at: now(), stats: json });
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      write({ at: now(), failure: failureText(error) });
    }
  }
  write({ at: now(), end: stop.aborted ? String(stop.reason) : 'its record was full' });
}

/** The message, with the advice if the next sample will not succeed by itself. */
function failureText({ kind, message, hint, isRetryable }: AgentError): string {
  return isRetryable || kind === 'cancelled' ? message : `${message} ${hint}`;
}

const CHECK_MS = 200;
const LAST_SAMPLE_MS = 5000;
const JOB_GONE = 'its job is gone';

/** Watches for what ends a sampler: `stop` aborts with the reason, `cancel` 5 s later. */
export function watchForEnd(directory: string, jobPid: number, maxDurationMs: number) {
  const stop = new AbortController();
  const cancel = new AbortController();
  const endsAt = performance.now() + maxDurationMs;
  const timer = setInterval(() => {
    const reason = findReasonToEnd(directory, jobPid, performance.now() > endsAt);
    if (reason === undefined) return;
    clearInterval(timer);
    stop.abort(reason);
    // A job that is gone has no use for a last sample.
    setTimeout(() => cancel.abort(), reason === JOB_GONE ? 0 : LAST_SAMPLE_MS).unref();
  }, CHECK_MS);
  return { stop: stop.signal, cancel: cancel.signal, close: () => clearInterval(timer) };
}

function findReasonToEnd(directory: string, jobPid: number, isTimeUp: boolean): string | undefined {
  if (existsSync(filesIn(directory).stop)) return ASKED;
  if (!existsSync(directory) || !isRunning(jobPid)) return JOB_GONE;
  return isTimeUp ? 'max-duration was over' : undefined;
}

// The sampler gives its last sample 5 s.
const PATIENCE_MS = 8000;
const WAIT_MS = 50;

/** Waits until a sampler that was asked to stop has ended, at most 8 s. */
export async function waitForSampler(
  directory: string,
  { sleep, stop, clock }: Pick<RetryPolicy, 'sleep'> & { stop: AbortSignal; clock: () => number },
): Promise<void> {
  const deadline = clock() + PATIENCE_MS;
  let isWaiting = true;
  while (isWaiting && isSampling(directory) && clock() < deadline)
    isWaiting = await sleep(WAIT_MS, stop);
}

/** Removes the process ID: where nobody reaps processes, one that has ended still has it. */
function signOff(directory: string): void {
  rmSync(filesIn(directory).pid, { force: true });
}

function isSampling(directory: string): boolean {
  const pid = samplerPid(directory);
  return pid !== undefined && isRunning(pid);
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
