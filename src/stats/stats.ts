import { type Client, openAgent } from '../agent/client.ts';
import { AgentError, type FailureInfo, failureInfoOf } from '../agent/failure.ts';
import {
  type Condition,
  describeJudgement,
  type Gate,
  type GateConditions,
  type Judgement,
  judge,
  judgeGate,
} from '../gate/judge.ts';
import type { Sample } from '../gate/metrics.ts';
import type { Context } from '../inputs/context.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatDuration } from '../text/format.ts';
import {
  type FailedObservation,
  readStatsWithRetries,
  type SampleRecord,
  type Stats,
} from './sampling.ts';

export interface StatsResult {
  /** Oldest first. */
  readonly samples: readonly Sample[];
  /** The last response, redacted; empty if there was none. */
  readonly response: object;
  readonly gate: Gate;
  /** Why samples are missing, unless the step was cancelled. */
  readonly error?: FailureInfo;
  readonly monitored?: MonitoredTime;
}

/** In Unix milliseconds. */
interface Times {
  readonly from: number;
  readonly to: number;
}

/** The time that a monitor or a run covers. */
export interface MonitoredTime extends Times {
  readonly gaps: readonly Gap[];
  readonly failures: readonly FailedObservation[];
}

/** A time in which the sandbox was not seen. */
export interface Gap extends Times {
  /** Why sampling ended in this gap, before it was asked to. */
  readonly endReason: string | undefined;
  readonly failures: readonly FailedObservation[];
}

/** @throws AgentError or InputError if `wait-until` fails; failed samples go into the result */
export async function stats(inputs: Inputs<'stats'>, context: Context): Promise<StatsResult> {
  await using client = openAgent(inputs, context);
  await waitForSandbox(inputs, client, context);
  return await takeStats(inputs, client, context, { cpuWindowStarted: false });
}

/** Without stats, no condition passes. */
export function withoutStats(conditions: GateConditions): StatsResult {
  return { samples: [], response: {}, gate: judgeGate(conditions, [], true) };
}

const WAIT_LOG_INTERVAL_MS = 15_000;

/** Waits until one sample meets `wait-until`, or the step is cancelled. @throws AgentError if late */
export async function waitForSandbox(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
): Promise<void> {
  const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval } = inputs;
  const { cancel, now, sleep, log } = context;
  if (conditions === undefined) return;
  log.line(`Waiting up to ${formatDuration(timeoutMs)} for the sandbox`);
  const startedAt = now();
  let nextLogMs = WAIT_LOG_INTERVAL_MS;
  for (;;) {
    // Do not retry: this loop already repeats the request.
    const outcome = await readStatsWithRetries({ ...inputs, retries: 0 }, client, context);
    if (cancel.aborted) return;
    const waitedMs = now() - startedAt;
    const waited = formatDuration(waitedMs);
    const error = outcome.status === 'failed' ? outcome.error : undefined;
    if (error?.isRetryable === false) throw error;
    const reasons =
      outcome.status === 'failed'
        ? [outcome.error.message]
        : describeFalse(conditions, outcome.value);
    if (reasons.length === 0) {
      log.line(`The sandbox was ready after ${waited}`);
      return;
    }
    const why = reasons.join('; ');
    const leftMs = timeoutMs - waitedMs;
    if (leftMs <= 0) {
      const message = `The sandbox was not ready within ${waited}. ${why}`;
      throw new AgentError('busy', message, { hint: hintToWaitLonger(error) });
    }
    if (waitedMs >= nextLogMs) {
      nextLogMs = waitedMs + WAIT_LOG_INTERVAL_MS;
      log.line(`Waited ${waited}: ${why}`);
    }
    await sleep(Math.min(sampleInterval, leftMs), cancel);
  }
}

function hintToWaitLonger(error: AgentError | undefined): string {
  // The hint of a lost connection advises timeout and retries, which do not lengthen the wait.
  const isSlow = error === undefined || error.kind === 'connection';
  return isSlow ? 'If the sandbox needs longer, raise wait-timeout.' : error.hint;
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
  let response: object = {};
  let error: AgentError | undefined;
  do {
    const outcome = await readStatsWithRetries(inputs, client, context);
    if (outcome.status === 'failed') {
      error = outcome.error;
      break;
    }
    const { figures } = outcome.value;
    taken.push({ at: now(), figures });
    response = outcome.value.response;
  } while (taken.length < dropped + count && (await sleep(sampleInterval, cancel)));
  const samples = taken.slice(dropped);
  const gate = judgeGate(inputs, samples, samples.length < count);
  const result = { samples, response: samples.length === 0 ? {} : response, gate };
  return error && !cancel.aborted ? { ...result, error: failureInfoOf(error) } : result;
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
  judgeSample('fail-if', inputs.failIf, outcome.value);
  return outcome.value;
}

/** Judges a record between two times. With a gap, or in a cancelled step, the gate cannot pass. */
export function judgeRecord(
  inputs: Pick<Inputs<'monitor'>, 'failIf' | 'warnIf' | 'sampleInterval'>,
  record: SampleRecord,
  time: Times,
  { cancelled }: { readonly cancelled: boolean },
): StatsResult & { readonly monitored: MonitoredTime } {
  const { observations, response } = record;
  const samples = observations.filter(observation => observation.kind === 'sample');
  const failures = observations.filter(observation => observation.kind === 'failure');
  // A cancelled step cuts requests off itself.
  const seen = cancelled
    ? { gaps: [], failures: [] }
    : { gaps: findGaps(record, time, inputs.sampleInterval), failures };
  const gate = judgeGate(inputs, samples, cancelled || seen.gaps.length > 0);
  return { samples, response, gate, monitored: { ...time, ...seen } };
}

function describeFalse(conditions: readonly Condition[], stats: Stats): string[] {
  return judgeSample('wait-until', conditions, stats)
    .filter(({ result }) => result === 'false')
    .map(describeJudgement);
}

/** Judges one sample. @throws InputError if it lacks a metric of a condition */
function judgeSample(
  input: 'fail-if' | 'wait-until',
  conditions: readonly Condition[],
  { figures }: Stats,
): Judgement[] {
  const judgements = conditions.map(each => judge(each, [{ at: 0, figures }], false));
  const unknown = judgements.filter(({ result }) => result === 'unknown').map(describeJudgement);
  if (unknown.length > 0) throw inputError(input, `${unknown.join('; ')}.`);
  return judgements;
}

function findGaps(record: SampleRecord, { from, to }: Times, intervalMs: number): Gap[] {
  const { observations, endReason } = record;
  const gaps: Gap[] = [];
  let last = from;
  let failures: FailedObservation[] = [];
  for (const observation of observations) {
    if (observation.kind === 'failure') {
      failures.push(observation);
      continue;
    }
    const until = Math.min(observation.at, to);
    if (until - last > longestPause(failures, intervalMs, OUTAGE_MS))
      gaps.push({ from: last, to: until, endReason: undefined, failures });
    last = until;
    failures = [];
  }
  const hasNoSample = failures.length === observations.length;
  // A monitor's first sample is at `from`, and shows nothing of the job. One failure after it is
  // normal: a step may delete the sandbox before the last sample.
  const isBlind = last === from && (hasNoSample || failures.length > 1);
  const isSeen = !isBlind && to - last <= longestPause(failures, intervalMs, END_MS);
  if (endReason === undefined && isSeen) return gaps;
  return [...gaps, { from: last, to, endReason, failures }];
}

// A pause without a failed sample means that the runner stalled, not the sandbox.
const IDLE_INTERVALS = 10;
const MIN_IDLE_MS = 30_000;

// After a failed sample, the pause is shorter: connections are often lost for some seconds, but at
// the end, nothing shows that this one came back.
const FAILED_INTERVALS = 2;
const OUTAGE_MS = 10_000;
const END_MS = 3000;

function longestPause(failures: readonly object[], intervalMs: number, extraMs: number): number {
  if (failures.length > 0) return FAILED_INTERVALS * intervalMs + extraMs;
  return Math.max(IDLE_INTERVALS * intervalMs, MIN_IDLE_MS);
}
