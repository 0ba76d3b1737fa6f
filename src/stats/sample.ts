import { AgentError } from '../agent/failure.ts';
import type { Condition } from '../gate/conditions.ts';
import { type Judgement, judge } from '../gate/judge.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { Stats } from './stats.ts';

export interface Sample extends Stats {
  /** Arrival time by the runner's clock, in Unix milliseconds. */
  readonly at: number;
}

export type Observation = Sample | { readonly failure: string };

/** Takes one sample, or says why the request failed. */
export async function observe(read: () => Promise<Stats>, now: () => number): Promise<Observation> {
  try {
    const stats = await read();
    return { at: now(), ...stats };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return { failure: error.message };
  }
}

/** The samples of a monitor or a run. */
export interface SampleRecord {
  /** Oldest first. */
  readonly samples: readonly Sample[];
  readonly failures: readonly string[];
  /** Why sampling ended; undefined if the process that samples was killed or hangs. */
  readonly end: string | undefined;
}

export const STOP_REQUESTED = 'the job asked for it';
export const RECORD_FULL = 'its record was full';

// About 60,000 samples fit; a day has 17,280 at the default interval of a monitor.
export const MAX_RECORD_BYTES = 16 * 1024 * 1024;

const MIN_TIMEOUT_MS = 10_000;

type Timing = Pick<Inputs<'monitor'>, 'timeout' | 'sampleInterval'>;

/** Returns a sample's timeout (ms), capped so that one slow answer does not open a gap. */
export function sampleTimeout({ timeout, sampleInterval }: Timing): number {
  return Math.min(timeout, Math.max(MIN_TIMEOUT_MS, sampleInterval));
}

export function findUnmet(conditions: readonly Condition[], stats: Stats): Judgement[] {
  return conditions.map(each => judge(each, [stats])).filter(({ holds }) => holds !== true);
}
