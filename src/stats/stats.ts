import { type Client, openAgent } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { type AgentError, type FailureInfo, failureInfoOf } from '../agent/failure.ts';
import { type Gate, type GateConditions, judgeGate } from '../gate/judge.ts';
import type { Sample } from '../gate/metrics.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { readStatsWithRetries, type Stats } from './sample.ts';
import type { FailedAttempt, SamplingEnd } from './samples.ts';
import { judgeNow, waitForSandbox } from './wait.ts';

export interface StatsResult {
  /** Oldest first. */
  readonly samples: readonly Sample[];
  /** The last response as JSON, redacted; empty if there was none. */
  readonly response: string;
  readonly gate: Gate;
  /** Why samples are missing, unless the step was cancelled. */
  readonly error?: FailureInfo;
  readonly monitored?: MonitoredTime;
}

/** The time that a monitor or a run covers, in Unix milliseconds. */
export interface MonitoredTime {
  readonly from: number;
  readonly to: number;
  readonly gaps: readonly Gap[];
  readonly failures: readonly FailedAttempt[];
}

/** A time in which the sandbox was not seen. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  /** `early` if sampling ended in this gap. */
  readonly samplingEnd: SamplingEnd;
  readonly failures: readonly FailedAttempt[];
}

/** @throws AgentError or InputError if `wait-until` fails; failed samples go into the result */
export async function stats(inputs: Inputs<'stats'>, context: Context): Promise<StatsResult> {
  await using client = openAgent(inputs, context);
  await waitForSandbox(inputs, client, context);
  return await takeStats(inputs, client, context, { cpuWindowStarted: false });
}

/** Without stats, no condition passes. */
export function withoutStats(conditions: GateConditions): StatsResult {
  return { samples: [], response: '', gate: judgeGate(conditions, []) };
}

/** Takes and judges samples. `cpuWindowStarted` says that this step has read the stats before. */
export async function takeStats(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
  { cpuWindowStarted }: { readonly cpuWindowStarted: boolean },
): Promise<StatsResult> {
  const { samples: count, sampleInterval } = inputs;
  const { cancel, now, sleep } = context;
  // A CPU figure covers the time since the stats were last read, so drop the first of several
  // samples unless they were read earlier in this step.
  const dropped = count > 1 && !cpuWindowStarted ? 1 : 0;
  const taken: Sample[] = [];
  let response = '';
  let error: AgentError | undefined;
  do {
    const outcome = await readStatsWithRetries(inputs, client, context);
    if (outcome.status === 'failed') {
      error = outcome.error;
      break;
    }
    taken.push({ at: now(), figures: outcome.value.figures });
    response = outcome.value.response;
  } while (taken.length < dropped + count && (await sleep(sampleInterval, cancel)));
  const samples = taken.slice(dropped);
  const gate = judgeGate(inputs, samples, samples.length < count);
  const result = { samples, response: samples.length > 0 ? response : '', gate };
  if (error === undefined || cancel.aborted) return result;
  return { ...result, error: failureInfoOf(error) };
}

// A sandbox that was just created or resumed may not answer immediately.
export const FIRST_SAMPLE_RETRIES = 2;

/** @throws AgentError if the stats cannot be read, or InputError if they lack a metric of `fail-if` */
export async function readJudgeableStats(
  inputs: Pick<Inputs<'stats'>, 'statsPath' | 'retries' | 'timeout' | 'failIf'>,
  client: Client,
  context: Context,
): Promise<Stats> {
  const outcome = await readStatsWithRetries(inputs, client, context);
  if (outcome.status === 'failed') throw outcome.error;
  judgeNow('fail-if', inputs.failIf, outcome.value);
  return outcome.value;
}
