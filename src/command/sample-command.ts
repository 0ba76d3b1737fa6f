import type { Client } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import type { Figures } from '../gate/metrics.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { wouldLeaveGap } from '../stats/gaps.ts';
import { readStats } from '../stats/sample.ts';
import {
  type Attempt,
  LAST_ANSWER_MS,
  type SampleRecord,
  sampleTimeout,
  takeSamples,
  trySample,
} from '../stats/samples.ts';

// Not an input: a service that can run commands serves its stats, if any, at E2B's path.
export const STATS_PATH = '/metrics';

// Short commands are to be sampled while they run, whatever the interval.
const MAX_FIRST_MS = 1000;

// Over a shorter period, the CPU figure would mostly measure the request itself.
const LAST_SAMPLE_DELAY_MS = 200;

/**
 * Samples until `ended` aborts, and calls `onSample` meanwhile. An attempt that has no answer then
 * is only waited for if there would be a gap otherwise. If there is no sample, takes one.
 */
export async function sampleCommand(
  ended: AbortSignal,
  inputs: Pick<Inputs<'run'>, 'sampleInterval' | 'timeout'>,
  client: Pick<Client, 'send' | 'redact'>,
  { cancel, now, sleep }: Pick<Context, 'cancel' | 'now' | 'sleep'>,
  onSample: (figures: Figures) => Promise<void>,
): Promise<SampleRecord> {
  const { sampleInterval: intervalMs } = inputs;
  const from = now();
  const attempts: Attempt[] = [];
  const giveUp = new AbortController();
  let isAwaited = true;
  let response = '';
  const takeUntil = (signal: AbortSignal) =>
    trySample(async () => {
      const stats = await readStats(client, STATS_PATH, { signal, timeout: sampleTimeout(inputs) });
      ({ response } = stats);
      return stats.figures;
    }, now);
  const signal = AbortSignal.any([cancel, giveUp.signal]);
  const endSoon = async () => {
    isAwaited = wouldLeaveGap(attempts, { from, to: now() }, intervalMs);
    if (isAwaited) await sleep(LAST_ANSWER_MS, signal);
    giveUp.abort();
  };
  ended.addEventListener('abort', () => void endSoon());
  const record = (attempt: Attempt) => {
    if (attempt.kind === 'sample') void onSample(attempt.figures);
    if (attempt.kind === 'sample' || isAwaited) attempts.push(attempt);
  };
  const options = { intervalMs, firstMs: Math.min(intervalMs, MAX_FIRST_MS), sleep, stop: ended };
  const end = await takeSamples(() => takeUntil(signal), record, {
    ...options,
    sampleOnStop: false,
  });
  giveUp.abort();
  // After two failures, the service probably has no stats.
  const needsSample = attempts.length < 2 && attempts.every(({ kind }) => kind === 'failure');
  if (needsSample && (await sleep(LAST_SAMPLE_DELAY_MS, cancel))) record(await takeUntil(cancel));
  return { attempts, response, end };
}
