import { type Client, openAgent } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { type AgentError, failureInfoOf } from '../agent/failure.ts';
import {
  describeJudgement,
  type Gate,
  type GateConditions,
  type Judgement,
  judgeGate,
} from '../gate/judge.ts';
import type { Sample } from '../gate/metrics.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { MonitoredTime } from './gaps.ts';
import { readStatsWithRetries, type Stats } from './sample.ts';
import { findUnmet, type StatsProblem, waitForSandbox } from './wait.ts';

export interface StatsResult {
  /** Oldest first. */
  readonly samples: readonly Sample[];
  /** The last response as JSON, redacted; empty if there was none. */
  readonly response: string;
  readonly gate: Gate;
  /** Why samples are missing, unless the step was cancelled. */
  readonly problem?: StatsProblem;
  readonly monitored?: MonitoredTime;
}

/** Failed requests go into the result instead of being thrown. */
export async function stats(inputs: Inputs<'stats'>, context: Context): Promise<StatsResult> {
  await using client = openAgent(inputs, context);
  const problem = await waitForSandbox(inputs, client, context);
  return problem === undefined
    ? await takeStats(inputs, client, context)
    : withoutStats(inputs, problem);
}

/** Without stats, no condition passes. */
export function withoutStats(inputs: GateConditions, problem?: StatsProblem): StatsResult {
  const result = { samples: [], response: '', gate: judgeGate(inputs, []) };
  return problem === undefined ? result : { ...result, problem };
}

/** Takes `samples` samples and judges them. Pass whether this step has read the stats before. */
export async function takeStats(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
  { cpuWindowStarted }: { readonly cpuWindowStarted: boolean } = { cpuWindowStarted: false },
): Promise<StatsResult> {
  const { samples: count, sampleInterval } = inputs;
  const { cancel, now, sleep } = context;
  // A CPU figure covers the time since the stats were last read, so drop the first of several
  // samples unless they were read earlier in this step.
  const dropped = count > 1 && !cpuWindowStarted ? 1 : 0;
  const taken: Sample[] = [];
  let response = '';
  let error: AgentError | undefined;
  for (let isDue = true; isDue; ) {
    const outcome = await readStatsWithRetries(inputs, client, context);
    if (outcome.status === 'failed') {
      error = outcome.error;
      break;
    }
    taken.push({ at: now(), figures: outcome.value.figures });
    response = outcome.value.response;
    isDue = taken.length < dropped + count && (await sleep(sampleInterval, cancel));
  }
  const samples = taken.slice(dropped);
  const gate = judgeGate(inputs, samples, samples.length < count);
  const result = { samples, response: samples.length > 0 ? response : '', gate };
  if (error === undefined || cancel.aborted) return result;
  return { ...result, problem: { kind: 'not-read', error: failureInfoOf(error) } };
}

// A sandbox that was just created or resumed may not answer immediately.
export const FIRST_SAMPLE_RETRIES = 2;

/**
 * @throws AgentError if the stats cannot be read
 * @throws InputError if they lack a metric of `fail-if`
 */
export async function readJudgeableStats(
  inputs: Pick<Inputs<'stats'>, 'statsPath' | 'retries' | 'timeout' | 'failIf'>,
  client: Client,
  context: Context,
): Promise<Stats> {
  const outcome = await readStatsWithRetries(inputs, client, context);
  if (outcome.status === 'failed') throw outcome.error;
  const unjudged = findUnjudged(inputs, outcome.value);
  if (unjudged.length > 0)
    throw inputError('fail-if', `${unjudged.map(describeJudgement).join('; ')}.`);
  return outcome.value;
}

/** Returns a problem if `fail-if` cannot be judged, unless it is empty or the step is cancelled. */
export async function checkGate(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
): Promise<StatsProblem | undefined> {
  if (inputs.failIf.length === 0) return undefined;
  const outcome = await readStatsWithRetries(inputs, client, context);
  if (context.cancel.aborted) return undefined;
  if (outcome.status === 'failed') return { kind: 'not-read', error: failureInfoOf(outcome.error) };
  const unjudged = findUnjudged(inputs, outcome.value);
  return unjudged.length > 0 ? { kind: 'not-judgeable', input: 'fail-if', unjudged } : undefined;
}

function findUnjudged({ failIf }: Pick<Inputs<'stats'>, 'failIf'>, stats: Stats): Judgement[] {
  return findUnmet(failIf, stats).filter(({ result }) => result === 'unknown');
}
