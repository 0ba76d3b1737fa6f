import type { Client } from '../agent/client.ts';
import type { AgentError } from '../agent/failure.ts';
import { type Outcome, withRetries } from '../agent/retry.ts';
import { gateOf, isGated } from '../gate/judge.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { judgementLine } from '../report/figure-texts.ts';
import type { MeasuredSection } from '../report/measured-section.ts';
import type { Report } from '../report/report.ts';
import { type ReportedError, waitError } from '../report/reported-error.ts';
import { findUnmet, takeSamples, waitUntil } from '../stats/sample.ts';
import { readStats, type Stats } from '../stats/stats.ts';
import type { Context } from './context.ts';

/**
 * Waits until the conditions of `wait-until` hold or the job is cancelled. Returns an error if they
 * do not hold in time.
 */
export async function waitForSandbox(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
): Promise<ReportedError | undefined> {
  const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval: intervalMs } = inputs;
  const { onEvent, cancel } = context;
  if (conditions === undefined || cancel.aborted) return undefined;
  onEvent({ kind: 'wait', timeoutMs });
  // Do not retry: waiting already repeats the request.
  const read = () => readStatsWithRetries({ ...inputs, retries: 0 }, client, context);
  const result = await waitUntil(conditions, read, {
    ...context,
    intervalMs,
    timeoutMs,
    stop: cancel,
    onSample: wait => onEvent({ kind: 'waited', wait }),
  });
  return result.isReady || cancel.aborted ? undefined : waitError(result);
}

/**
 * Takes a sample if there is a gate. Returns an error if `fail-if` cannot be judged, unless the job
 * is cancelled.
 */
export async function checkGateIsJudgeable(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
): Promise<ReportedError | undefined> {
  if (!isGated(inputs)) return undefined;
  const outcome = await readStatsWithRetries(inputs, client, context);
  if (context.cancel.aborted) return undefined;
  const failure = { message: NOT_JUDGEABLE, title: NOT_JUDGEABLE };
  if ('error' in outcome) {
    const { message, advice } = statsError(outcome.error);
    return { ...failure, details: [message], advice };
  }
  const advice = explainUnjudgeable(inputs, outcome.value);
  return advice.length === 0 ? undefined : { ...failure, details: [], advice };
}

/** Explains each condition of `fail-if` that cannot be judged, because the stats lack its metric. */
export function explainUnjudgeable(
  { failIf }: Pick<Inputs<'stats'>, 'failIf'>,
  stats: Stats,
): string[] {
  const unmet = findUnmet(failIf, stats);
  return unmet.filter(({ holds }) => holds === undefined).map(judgementLine);
}

const NOT_JUDGEABLE = 'The gate cannot be judged, so nothing was uploaded.';
const WITHOUT_STATS =
  'If the service has no stats, use the actions `upload`, `download`, and `run` without conditions.';

export function statsError({ status, message, hint }: AgentError) {
  const advice = status === 404 ? [hint, WITHOUT_STATS] : [hint];
  return { message, details: [], advice, title: 'The stats could not be read.' };
}

interface MeasureResult extends Pick<Report, 'errors'> {
  readonly measured: MeasuredSection;
}

/** Takes the samples and judges them. A failed request goes into the result. */
export async function measure(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
  cpuWindowStarted = false,
): Promise<MeasureResult> {
  const { samples: count, sampleInterval: intervalMs } = inputs;
  const read = () => readStatsWithRetries(inputs, client, context);
  const options = { ...context, count, intervalMs, cpuWindowStarted, stop: context.cancel };
  const { samples, error } = await takeSamples(read, options);
  const gate = gateOf(inputs, samples, samples.length < count);
  const errors = error === undefined || context.cancel.aborted ? [] : [statsError(error)];
  return { measured: { samples, gate }, errors };
}

export async function readStatsWithRetries(
  { statsPath, retries }: Pick<Inputs<'stats'>, 'statsPath' | 'retries'>,
  client: Client,
  context: Context,
): Promise<Outcome<Stats>> {
  const { cancel, onEvent } = context;
  const outcome = await withRetries(() => readStats(client, statsPath), {
    ...context,
    retries,
    stop: cancel,
    onRetry: retry => onEvent({ kind: 'retry', files: [], retry }),
  });
  if ('value' in outcome) onEvent({ kind: 'debug', text: `Stats: ${outcome.value.json}` });
  return outcome;
}
