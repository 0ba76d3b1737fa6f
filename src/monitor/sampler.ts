import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { openAgent } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { sleep } from '../agent/retry.ts';
import { secretsIn } from '../inputs/connection.ts';
import { inputError } from '../inputs/input-error.ts';
import { parseInputs } from '../inputs/parse-inputs.ts';
import type { RawInputs } from '../inputs/parsers.ts';
import { readStats } from '../stats/sample.ts';
import { ENDED_AS_PLANNED, sampleTimeout, takeSamples, trySample } from '../stats/samples.ts';
import { parseFields, stringFieldsOf } from '../text/json.ts';
import { redactor } from '../text/redact.ts';
import { appendLine, isSampling, monitorFiles, readRecord } from './record.ts';

/** @throws InputError if the sampler exits before it has read its inputs */
export async function startSampler(
  script: string,
  directory: string,
  inputs: RawInputs,
): Promise<void> {
  const { errors, pid } = monitorFiles(directory);
  const errorFile = openSync(errors, 'a', 0o600);
  const withoutInputs = Object.entries(process.env).filter(([name]) => !name.startsWith('INPUT_'));
  // Our parent is the runner's process, whose exit tells the sampler that the job has ended.
  const child = spawn(process.execPath, [script, directory, String(process.ppid)], {
    env: Object.fromEntries(withoutInputs),
    // Windows cannot delete a directory while a process runs in it, and a job may delete its
    // workspace.
    cwd: path.dirname(directory),
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', errorFile],
  });
  closeSync(errorFile);
  await once(child, 'spawn');
  // Use a pipe, since inputs may be secret: other processes can read arguments and environments.
  const sent = child.stdin && finished(child.stdin.end(JSON.stringify(inputs)));
  await sent?.catch(() => {
    const { endReason = 'for no known reason' } = readRecord(directory);
    throw inputError('monitor', `its process ended at once: ${endReason}.`);
  });
  writeFileSync(pid, String(child.pid), { mode: 0o600 });
  child.unref();
}

/** Runs in the sampler's process, which gets its inputs on stdin. */
export async function runSampler(directory: string, jobPid: number): Promise<void> {
  process.once('exit', () => rmSync(monitorFiles(directory).pid, { force: true }));
  const raw = stringFieldsOf(parseFields(await text(process.stdin)));
  const inputs = parseInputs('monitor', raw);
  const { stop, cancel } = watchForEnd(directory, jobPid, inputs.maxDuration);
  const redact = redactor(secretsIn(raw));
  await using client = openAgent(inputs, { now: Date.now, redact });
  const limits = { signal: cancel, timeout: sampleTimeout(inputs) };
  const take = () => trySample(() => readStats(client, inputs.statsPath, limits), Date.now);
  const sampling = { intervalMs: inputs.sampleInterval, sleep, stop, withLast: true };
  const end = await takeSamples(take, result => appendLine(directory, result), sampling);
  appendLine(directory, { end });
}

const CHECK_INTERVAL_MS = 200;
const LAST_SAMPLE_TIMEOUT_MS = 5000;

/** Aborts `stop` with the reason to end, and `cancel` 5 s later. */
function watchForEnd(directory: string, jobPid: number, maxDurationMs: number) {
  const stop = new AbortController();
  const cancel = new AbortController();
  const endsAt = performance.now() + maxDurationMs;
  const end = (reason: string) => {
    clearInterval(timer);
    stop.abort(reason);
    setTimeout(() => cancel.abort(), LAST_SAMPLE_TIMEOUT_MS).unref();
  };
  const check = () => {
    if (existsSync(monitorFiles(directory).stop)) end(ENDED_AS_PLANNED);
    else if (!existsSync(directory) || !isRunning(jobPid)) end('its job is gone');
    else if (performance.now() > endsAt) end('max-duration was over');
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS).unref();
  return { stop: stop.signal, cancel: cancel.signal };
}

// Leaves time for a last sample, which is cancelled after LAST_SAMPLE_TIMEOUT_MS.
const MAX_WAIT_MS = 8000;
const POLL_MS = 50;

export async function waitForSampler(
  directory: string,
  { sleep, cancel, clock }: Pick<Context, 'sleep' | 'cancel' | 'clock'>,
): Promise<void> {
  const deadline = clock() + MAX_WAIT_MS;
  while (isSampling(directory) && clock() < deadline) if (!(await sleep(POLL_MS, cancel))) return;
}

function isRunning(pid: number): boolean {
  try {
    // Signal 0 only tests whether the process exists (kill(2)).
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
