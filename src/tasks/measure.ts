import type { Client } from '../agent/client.ts';
import { type Outcome, withRetries } from '../agent/retry.ts';
import { gateOf } from '../gate/judge.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { judgementLine } from '../report/figure-texts.ts';
import type { Report } from '../report/report.ts';
import { type ReportedError, toReportedError, waitError } from '../report/reported-error.ts';
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

// A sandbox that was just created or resumed may not answer immediately.
export const FIRST_RETRIES = 2;

/**
 * Reads the stats, which proves that `fail-if` can be judged.
 * @throws AgentError if the request fails
 * @throws InputError if the stats lack a metric of `fail-if`
 */
export async function readJudgeableStats(
  inputs: StatsRequest & Pick<Inputs<'stats'>, 'failIf'>,
  client: Client,
  context: Context,
): Promise<Stats> {
  const outcome = await readStatsWithRetries(inputs, client, context);
  if ('error' in outcome) throw outcome.error;
  const { value: stats } = outcome;
  const unmet = findUnmet(inputs.failIf, stats);
  const problems = unmet.filter(({ holds }) => holds === undefined).map(judgementLine);
  if (problems.length > 0) throw inputError('fail-if', `${problems.join('; ')}.`);
  return stats;
}

type Measured = Pick<Report, 'measured' | 'errors'>;

/** Reports that nothing was measured, so a gate fails. */
export function reportUnmeasured(inputs: Inputs<'stats'>, error?: ReportedError): Measured {
  const measured = { samples: [], gate: gateOf(inputs, []) };
  return { measured, errors: error === undefined ? [] : [error] };
}

/** Takes the samples and judges them. A failed request goes into the result. */
export async function measure(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
  cpuWindowStarted = false,
): Promise<Measured> {
  const { samples: count, sampleInterval: intervalMs } = inputs;
  const read = () => readStatsWithRetries(inputs, client, context);
  const options = { ...context, count, intervalMs, cpuWindowStarted, stop: context.cancel };
  const { samples, error } = await takeSamples(read, options);
  const gate = gateOf(inputs, samples, samples.length < count);
  const errors =
    error === undefined || context.cancel.aborted
      ? []
      : [{ ...toReportedError(error), title: 'The stats could not be read.' }];
  return { measured: { samples, gate }, errors };
}

type StatsRequest = Pick<Inputs<'stats'>, 'statsPath' | 'retries'>;

export async function readStatsWithRetries(
  { statsPath, retries }: StatsRequest,
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
