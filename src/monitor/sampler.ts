import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openAgent } from '../agent/client.ts';
import { now, sleep } from '../agent/retry.ts';
import { secretsIn } from '../inputs/connection.ts';
import { INPUTS } from '../inputs/inputs.ts';
import { parseInputs } from '../inputs/parse-inputs.ts';
import {
  deadlineAfter,
  LAST_RESPONSE_MS,
  readStats,
  sampleTimeout,
  takeSamples,
  trySample,
} from '../stats/sampling.ts';
import { redactor } from '../text/escape.ts';
import { errorText } from '../text/format.ts';
import { stringFieldsOf } from '../text/json.ts';
import { hasFile, saveFile, saveSample } from './record.ts';

/** Runs in the sampler's process, which gets its inputs as a message. */
export async function runSampler(directory: string, jobPid: number): Promise<void> {
  const [message]: unknown[] = await once(process, 'message');
  const raw = stringFieldsOf(message);
  const inputs = parseInputs(INPUTS.monitor, raw);
  const stop = new AbortController();
  const end = waitForEnd(directory, jobPid, inputs.maxDuration).finally(() => stop.abort());
  using deadline = deadlineAfter(stop.signal, LAST_RESPONSE_MS, sleep);
  const redact = redactor(secretsIn(raw));
  await using client = openAgent(inputs, { redact });
  // Everything is loaded now. Later, the action's folder may be gone: act deletes its copies.
  process.send?.('ready');
  const limits = { signal: deadline.signal, timeout: sampleTimeout(inputs) };
  const read = () => readStats(client, inputs.statsPath, limits);
  const take = async () => saveSample(directory, await trySample(read, now));
  const { sampleInterval: intervalMs } = inputs;
  const options = { intervalMs, sleep, stop: stop.signal, sampleOnStop: true };
  const sampling = takeSamples(take, options).then(() => end);
  const describe = (error: unknown) => `a sample could not be recorded: ${errorText(error)}`;
  saveFile(directory, 'end', await sampling.catch(error => ({ endReason: describe(error) })));
}

const CHECK_INTERVAL_MS = 200;

async function waitForEnd(
  directory: string,
  jobPid: number,
  maxMs: number,
): Promise<{ readonly requestedAt: number } | { readonly endReason: string }> {
  const endsAt = performance.now() + maxMs;
  for (;;) {
    await delay(CHECK_INTERVAL_MS, undefined, { ref: false });
    if (hasFile(directory, 'stop')) return { requestedAt: now() };
    if (!existsSync(directory) || !isRunning(jobPid)) return { endReason: 'its job is gone' };
    if (performance.now() > endsAt) return { endReason: 'max-duration ran out' };
  }
}

function isRunning(pid: number): boolean {
  try {
    // Signal 0 only tests whether the process exists (kill(2)).
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
