import type { Context } from '../agent/context.ts';
import { AgentError } from '../agent/failure.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { Stats } from './sample.ts';

export interface Sample extends Stats {
  /** Arrival time by the runner's clock, in Unix milliseconds. */
  readonly at: number;
}

export type SampleOrFailure = Sample | { readonly failure: string };

export async function trySample(
  read: () => Promise<Stats>,
  now: () => number,
): Promise<SampleOrFailure> {
  try {
    const stats = await read();
    return { at: now(), ...stats };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return { failure: error.message };
  }
}

// About 60,000 samples fit; a day has 17,280 at the default interval of a monitor.
const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/**
 * Records a sample after each interval until `stop` aborts or the record reaches 16 MiB. Returns
 * why it ended.
 */
export async function takeSamples(
  take: () => Promise<SampleOrFailure>,
  record: (result: SampleOrFailure) => void,
  options: {
    readonly intervalMs: number;
    readonly sleep: Context['sleep'];
    readonly stop: AbortSignal;
    /** Takes a last sample if `stop` aborts between two samples. */
    readonly withLast: boolean;
  },
): Promise<string> {
  const { intervalMs, sleep, stop, withLast } = options;
  let bytes = 0;
  while (!stop.aborted && bytes < MAX_RECORD_BYTES) {
    const isDue = await sleep(intervalMs, stop);
    if (!isDue && !withLast) break;
    const result = await take();
    record(result);
    bytes += JSON.stringify(result).length;
  }
  return stop.aborted ? String(stop.reason) : 'its record was full';
}

export interface SampleRecord {
  readonly samples: readonly Sample[];
  readonly failures: readonly string[];
  /** `ENDED_AS_PLANNED`, or why sampling ended early; undefined if the sampler died or hangs. */
  readonly endReason: string | undefined;
}

export const ENDED_AS_PLANNED = 'the job asked for it';

export function toRecord(
  results: readonly SampleOrFailure[],
  endReason: string | undefined,
): SampleRecord {
  return {
    samples: results.filter(each => 'json' in each),
    failures: results.flatMap(each => ('failure' in each ? each.failure : [])),
    endReason,
  };
}

const MIN_SAMPLE_TIMEOUT_MS = 10_000;

/** Returns a sample's timeout (ms), capped so that one slow response does not cause a gap. */
export function sampleTimeout({
  timeout,
  sampleInterval,
}: Pick<Inputs<'monitor'>, 'timeout' | 'sampleInterval'>): number {
  return Math.min(timeout, Math.max(MIN_SAMPLE_TIMEOUT_MS, sampleInterval));
}
