import type { Client } from '../agent/client.ts';
import type { Sample } from '../gate/metrics.ts';
import type { Context } from '../inputs/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import {
  deadlineAfter,
  LAST_RESPONSE_MS,
  type Observation,
  readStats,
  type SampleRecord,
  sampleTimeout,
  takeSamples,
  trySample,
} from '../stats/sampling.ts';

// Not an input: a service that can run commands serves its stats, if any, at E2B's path.
export const STATS_PATH = '/metrics';

// Short commands need a sample while they run, whatever the interval.
const MAX_FIRST_MS = 1000;

// Over a shorter period, the CPU figure would mostly measure the request itself.
const LAST_SAMPLE_DELAY_MS = 200;

// Long enough for the sample that a very short command gets after its end.
const PATIENCE_MS = 500;

/**
 * Takes samples until `ended` aborts, waits a while for the last response, and takes one more if
 * there is no sample yet.
 */
export async function sampleWhileRunning(
  ended: AbortSignal,
  inputs: Pick<Inputs<'run'>, 'sampleInterval' | 'timeout' | 'failIf' | 'warnIf'>,
  client: Pick<Client, 'send' | 'redact'>,
  { cancel, now, sleep }: Pick<Context, 'cancel' | 'now' | 'sleep'>,
  onSample: (sample: Sample) => void,
): Promise<SampleRecord> {
  const { sampleInterval: intervalMs, failIf, warnIf } = inputs;
  const timeout = sampleTimeout(inputs);
  // Without conditions, samples are only shown, so the step hardly waits for them.
  const isJudged = failIf.length + warnIf.length > 0;
  using late = deadlineAfter(ended, isJudged ? LAST_RESPONSE_MS : PATIENCE_MS, sleep);
  const deadline = AbortSignal.any([cancel, late.signal]);
  const seen: Observation[] = [];
  let lastResponse = {};
  const take = async (signal: AbortSignal) => {
    const read = () => readStats(client, STATS_PATH, { signal, timeout });
    const { observation, response = lastResponse } = await trySample(read, now);
    lastResponse = response;
    seen.push(observation);
    if (observation.kind === 'sample') onSample(observation);
  };
  const firstMs = Math.min(intervalMs, MAX_FIRST_MS);
  const options = { intervalMs, firstMs, sleep, stop: ended, sampleOnStop: false };
  await takeSamples(() => take(deadline), options);
  // After two failures, the service probably has no stats.
  const needsSample = seen.length < 2 && seen.every(({ kind }) => kind === 'failure');
  if (needsSample) {
    const signal = isJudged ? cancel : deadline;
    const isDue = await sleep(LAST_SAMPLE_DELAY_MS, signal);
    if (isDue) await take(signal);
  }
  return { observations: seen, response: lastResponse, endReason: undefined };
}
