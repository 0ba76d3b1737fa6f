import { type Client, openClient } from '../agent/client.ts';
import type { AgentError } from '../agent/failure.ts';
import { type Outcome, withRetries } from '../agent/retry.ts';
import { gateOf, isGated } from '../gate/judge.ts';
import type { Connection, Inputs } from '../inputs/inputs.ts';
import { judgementLine } from '../report/figures.ts';
import { EMPTY_REPORT, type Report, type ReportedError } from '../report/report.ts';
import { reportError, waitError } from '../report/verdict.ts';
import { findUnmet, takeSamples, waitUntil } from '../stats/sample.ts';
import { readStats, type Stats } from '../stats/stats.ts';
import type { Context } from './context.ts';

/** Waits for the sandbox, samples and judges it; failed requests end up in the report. */
export async function stats(inputs: Inputs<'stats'>, context: Context): Promise<Report> {
  const { sandboxId, baseUrl } = inputs;
  const { cancel } = context;
  // Without stats, the gate fails.
  const gate = gateOf(inputs, []);
  const base = { ...EMPTY_REPORT, task: 'stats', sandboxId, baseUrl, gate } as const;
  return withClient(inputs, context, async client => {
    const problem = await waitFor(inputs, client, context);
    const measured = problem ?? (await measure(inputs, client, context));
    return { ...base, ...measured, cancelled: cancel.aborted };
  });
}

export async function withClient(
  inputs: Connection,
  context: Context,
  run: (client: Client) => Promise<Report>,
): Promise<Report> {
  const client = openClient(inputs, context);
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}

/** Waits until the `wait-until` conditions hold; returns errors if they never do. */
export async function waitFor(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
): Promise<Pick<Report, 'errors'> | undefined> {
  const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval: intervalMs } = inputs;
  const { onEvent, cancel } = context;
  if (conditions === undefined) return undefined;
  onEvent({ kind: 'wait', timeoutMs });
  const result = await waitUntil(conditions, () => sample(inputs, client, context), {
    ...context,
    intervalMs,
    timeoutMs,
    stop: cancel,
    onSample: wait => onEvent({ kind: 'waited', wait }),
  });
  return result.held ? undefined : { errors: [waitError(result)] };
}

/**
 * Samples once before the upload if there is a gate; returns errors if `fail-if` cannot be judged.
 */
export async function checkGateIsJudgeable(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
): Promise<Pick<Report, 'gate' | 'errors'> | undefined> {
  if (!isGated(inputs)) return undefined;
  const gate = gateOf(inputs, []);
  const outcome = await sampleWithRetries(inputs, client, context);
  if ('error' in outcome) {
    const { message, details } = statsError(outcome.error);
    return { gate, errors: [{ message: NOT_JUDGEABLE, details: [message, ...details] }] };
  }
  const unmet = findUnmet(inputs.failIf, outcome.value.figures);
  const unjudged = unmet.filter(({ holds }) => holds === undefined);
  if (unjudged.length === 0) return undefined;
  const breaches = unjudged.map(judgement => ({ ...judgement, level: 'fail' as const }));
  const error = { message: NOT_JUDGEABLE, details: unjudged.map(judgementLine) };
  return { gate: { ...gate, breaches }, errors: [error] };
}

const NOT_JUDGEABLE = 'The gate cannot be judged, so nothing was uploaded.';
const WITHOUT_STATS = 'If the service has no stats, use sandbox-sync/sandbox-sync/upload.';

function statsError(error: AgentError): ReportedError {
  const { message, details } = reportError(error);
  return { message, details: error.kind === 'not-found' ? [...details, WITHOUT_STATS] : details };
}

/**
 * Samples and judges; without stats, the gate fails. Set `hasPrevious` if an earlier request
 * started the interval of the first CPU figure.
 */
export async function measure(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
  hasPrevious = false,
): Promise<Pick<Report, 'samples' | 'stats' | 'gate' | 'errors' | 'warnings'>> {
  const { samples: count, sampleInterval: intervalMs } = inputs;
  const read = () => sampleWithRetries(inputs, client, context);
  const { samples, error, ...taken } = await takeSamples(read, {
    ...context,
    count,
    intervalMs,
    hasPrevious,
    stop: context.cancel,
  });
  if (error !== undefined) context.onEvent({ kind: 'failed', files: [], error });
  const figures = samples.map(one => one.figures);
  return {
    ...taken,
    samples,
    gate: gateOf(inputs, figures, samples.length < count),
    errors: error === undefined ? [] : [statsError(error)],
  };
}

function sampleWithRetries(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
): Promise<Outcome<Stats>> {
  return withRetries(() => sample(inputs, client, context), {
    ...context,
    retries: inputs.retries,
    stop: context.cancel,
    onRetry: retry => context.onEvent({ kind: 'retry', files: [], retry }),
  });
}

async function sample(inputs: Inputs<'stats'>, client: Client, context: Context): Promise<Stats> {
  const sampled = await readStats(client, inputs.statsPath);
  context.onEvent({ kind: 'sample', figures: sampled.figures });
  return sampled;
}
