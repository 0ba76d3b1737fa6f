import { existsSync, rmSync } from 'node:fs';
import { agentService, withClient } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import { type Sleep, sleep } from '../agent/retry.ts';
import { type Inputs, parseInputs } from '../inputs/inputs.ts';
import { secretsIn } from '../inputs/secrets.ts';
import { readStats, type Stats } from '../stats/stats.ts';
import { systemCode } from '../text/errors.ts';
import { redactor } from '../text/redact.ts';
import {
  appendLine,
  isFull,
  monitorFiles,
  type RecordLine,
  STOP_REQUESTED,
  samplerPid,
} from './record.ts';
import type { SamplerOptions } from './start.ts';

export async function runSampler(directory: string, options: SamplerOptions): Promise<void> {
  const inputs = parseInputs('monitor', options.inputs);
  const { stop, cancel } = watchForEnd(directory, options.jobPid, inputs.maxDuration);
  const service = agentService({ ...inputs, timeout: sampleTimeout(inputs) });
  const redact = redactor(secretsIn(options.inputs));
  const recording: RecordingOptions = {
    intervalMs: inputs.sampleInterval,
    sleep,
    stop,
    now: Date.now,
    write: line => appendLine(directory, line),
    isFull: () => isFull(directory),
  };
  await withClient(service, { cancel, now: Date.now, redact }, client =>
    recordSamples(() => readStats(client, inputs.statsPath), recording),
  );
  // In a container without an init process, kill(pid, 0) succeeds even after the process exits.
  rmSync(monitorFiles(directory).pid, { force: true });
}

const MIN_TIMEOUT_MS = 10_000;

type Timing = Pick<Inputs<'monitor'>, 'timeout' | 'sampleInterval'>;

/** Returns a sample's timeout (ms), capped so that one slow answer does not open a gap. */
export function sampleTimeout({ timeout, sampleInterval }: Timing): number {
  return Math.min(timeout, Math.max(MIN_TIMEOUT_MS, sampleInterval));
}

interface RecordingOptions {
  readonly sleep: Sleep;
  readonly intervalMs: number;
  readonly stop: AbortSignal;
  readonly now: () => number;
  readonly write: (line: RecordLine) => void;
  readonly isFull: () => boolean;
}

export async function recordSamples(
  read: () => Promise<Pick<Stats, 'json'>>,
  { intervalMs, sleep, stop, now, write, isFull }: RecordingOptions,
): Promise<void> {
  while (!stop.aborted && !isFull()) {
    await sleep(intervalMs, stop);
    try {
      const { json } = await read();
      write({ at: now(), stats: json });
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      write({ at: now(), failure: error.message });
    }
  }
  write({ at: now(), end: stop.aborted ? String(stop.reason) : 'its record was full' });
}

const CHECK_INTERVAL_MS = 200;
const LAST_SAMPLE_TIMEOUT_MS = 5000;

/** Aborts `stop` with the reason to end, and `cancel` 5 s later. */
function watchForEnd(directory: string, jobPid: number, maxDurationMs: number) {
  const stop = new AbortController();
  const cancel = new AbortController();
  const endsAt = performance.now() + maxDurationMs;
  const check = () => {
    const reason = findReasonToEnd(directory, jobPid, performance.now() > endsAt);
    if (reason === undefined) return;
    clearInterval(timer);
    stop.abort(reason);
    setTimeout(() => cancel.abort(), LAST_SAMPLE_TIMEOUT_MS).unref();
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS).unref();
  return { stop: stop.signal, cancel: cancel.signal };
}

function findReasonToEnd(directory: string, jobPid: number, isTimeUp: boolean): string | undefined {
  if (existsSync(monitorFiles(directory).stop)) return STOP_REQUESTED;
  if (!existsSync(directory) || !isRunning(jobPid)) return 'its job is gone';
  return isTimeUp ? 'max-duration was over' : undefined;
}

// Leaves time for a last sample, which is cancelled after LAST_SAMPLE_TIMEOUT_MS.
const MAX_WAIT_MS = 8000;
const POLL_MS = 50;

/** Waits for the sampler to exit, at most 8 s. */
export async function waitForSampler(
  directory: string,
  { sleep, stop, clock }: { sleep: Sleep; stop: AbortSignal; clock: () => number },
): Promise<void> {
  const deadline = clock() + MAX_WAIT_MS;
  let isWaiting = true;
  while (isWaiting && isSampling(directory) && clock() < deadline)
    isWaiting = await sleep(POLL_MS, stop);
}

function isSampling(directory: string): boolean {
  const pid = samplerPid(directory);
  return pid !== undefined && isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    // Signal 0 only tests whether the process exists (kill(2)).
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process exists, but belongs to another user.
    return systemCode(error) === 'EPERM';
  }
}
