import { AgentError } from '../agent/failure.ts';
import type { Condition } from '../gate/conditions.ts';
import { type Judgement, judge } from '../gate/judge.ts';
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

export function findUnmet(conditions: readonly Condition[], stats: Stats): Judgement[] {
  return conditions.map(each => judge(each, [stats])).filter(({ holds }) => holds !== true);
}
