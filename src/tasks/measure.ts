import { type Client, openAgent } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import type { AgentError } from '../agent/failure.ts';
import { describeRetry, type Outcome, withRetries } from '../agent/retry.ts';
import { type Condition, type Judgement, judge, judgeGate } from '../gate/judge.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { judgementLine } from '../report/figures.ts';
import { type ReportedError, toReportedError, withMarkup } from '../report/reason.ts';
import { type Report, reportOf } from '../report/report.ts';
import { readStats, type Stats } from '../stats/sample.ts';
import type { Sample } from '../stats/samples.ts';
import { formatDuration } from '../text/format.ts';

/** Failed requests go into the report instead of being thrown. */
export async function stats(inputs: Inputs<'stats'>, context: Context): Promise<Report> {
  await using client = openAgent(inputs, context);
  const error = await waitForSandbox(inputs, client, context);
  const result = error ? reportUnmeasured(inputs, error) : await measure(inputs, client, context);
  return reportOf('stats', inputs, context.cancel, result);
}

const WAIT_LOG_INTERVAL_MS = 15_000;

/**
 * Waits until one sample meets `wait-until`, if that is set. Returns an error if it takes too long
 * or a failure cannot be retried, unless the job is cancelled.
 */
export async function waitForSandbox(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
): Promise<ReportedError | undefined> {
  const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval } = inputs;
  const { cancel, clock, sleep, log } = context;
  if (conditions === undefined || cancel.aborted) return undefined;
  log.line(`Waiting up to ${formatDuration(timeoutMs)} for the sandbox`);
  const startedAt = clock();
  let nextLogMs = WAIT_LOG_INTERVAL_MS;
  let unmet: readonly string[] = [];
  for (;;) {
    // Do not retry: this loop already repeats the request.
    const outcome = await readStatsWithRetries({ ...inputs, retries: 0 }, client, context);
    const waitedMs = clock() - startedAt;
    const error = outcome.status === 'failed' ? outcome.error : undefined;
    if (outcome.status === 'done') unmet = findUnmet(conditions, outcome.value).map(judgementLine);
    if (error === undefined && unmet.length === 0) {
      log.line(`The sandbox was ready after ${formatDuration(waitedMs)}`);
      return undefined;
    }
    const leftMs = timeoutMs - waitedMs;
    const isOver = leftMs <= 0 || error?.isRetryable === false;
    if (isOver || !(await sleep(Math.min(sampleInterval, leftMs), cancel)))
      return cancel.aborted ? undefined : waitError(waitedMs, unmet, error);
    if (waitedMs < nextLogMs) continue;
    nextLogMs = waitedMs + WAIT_LOG_INTERVAL_MS;
    const reasons = error === undefined ? unmet : [...unmet, error.message];
    log.line(`Waited ${formatDuration(waitedMs)}: ${reasons.join('; ')}`);
  }
}

function waitError(
  waitedMs: number,
  unmet: readonly string[],
  error: AgentError | undefined,
): ReportedError {
  if (error?.isRetryable === false) return toReportedError(error);
  const title = `The sandbox was not ready within ${formatDuration(waitedMs)}.`;
  const message = error === undefined ? [] : [{ text: error.message }];
  const advice = error === undefined ? unmet : [...unmet, error.hint];
  return { title, reason: [...message, ...advice.map(withMarkup)] };
}

/** Reports that nothing was measured, so no condition passes. */
export function reportUnmeasured(inputs: Inputs<'stats'>, error?: ReportedError) {
  const measured = { samples: [], gate: judgeGate(inputs, []) };
  return { measured, errors: error === undefined ? [] : [error] };
}

export async function measure(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
  cpuWindowStarted = false,
): Promise<Pick<Report, 'measured' | 'errors'>> {
  const { samples: count, sampleInterval } = inputs;
  const { cancel, now, sleep } = context;
  // A CPU figure covers the time since the stats were last read, so drop the first of several
  // samples unless they were read earlier in this step.
  const dropped = count > 1 && !cpuWindowStarted ? 1 : 0;
  const taken: Sample[] = [];
  const errors: ReportedError[] = [];
  do {
    const outcome = await readStatsWithRetries(inputs, client, context);
    if (outcome.status === 'failed') {
      const error = { ...toReportedError(outcome.error), title: 'The stats could not be read.' };
      if (!cancel.aborted) errors.push(error);
      break;
    }
    taken.push({ at: now(), ...outcome.value });
  } while (taken.length < dropped + count && (await sleep(sampleInterval, cancel)));
  const samples = taken.slice(dropped);
  return {
    measured: { samples, gate: judgeGate(inputs, samples, samples.length < count) },
    errors,
  };
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
  const unmet = findUnmet(inputs.failIf, outcome.value);
  const problems = unmet.filter(({ holds }) => holds === undefined).map(judgementLine);
  if (problems.length > 0) throw inputError('fail-if', `${problems.join('; ')}.`);
  return outcome.value;
}

function findUnmet(conditions: readonly Condition[], stats: Stats): Judgement[] {
  return conditions.map(each => judge(each, [stats])).filter(({ holds }) => holds !== true);
}

export async function readStatsWithRetries(
  { statsPath, retries, timeout }: Pick<Inputs<'stats'>, 'statsPath' | 'retries' | 'timeout'>,
  client: Client,
  context: Context,
): Promise<Outcome<Stats>> {
  const { cancel, log } = context;
  const limits = { signal: cancel, timeout };
  const outcome = await withRetries(() => readStats(client, statsPath, limits), {
    ...context,
    retries,
    stop: cancel,
    onRetry: retry => log.line(describeRetry('the stats', retry)),
  });
  if (outcome.status === 'done') log.debug(`Stats: ${outcome.value.json}`);
  return outcome;
}
