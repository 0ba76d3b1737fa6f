import { type Client, openClient } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import { withRetries } from '../agent/retry.ts';
import { gateOf, isGated, metricsOf } from '../gate/judge.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatFigure, judgementLine } from '../report/breaches.ts';
import { EMPTY_REPORT, type Report, type ReportedError, reportUnseen } from '../report/report.ts';
import { reportError, waitError } from '../report/verdict.ts';
import { findUnmet, type Sample, takeSamples, tryToSample, waitUntil } from '../stats/sample.ts';
import { readStats, type Stats } from '../stats/stats.ts';
import { describeUnseen, findStaleTimes } from '../stats/unseen.ts';
import type { Context } from './context.ts';

/** Waits for the sandbox, samples and judges it. Failures are in the report. */
export async function stats(inputs: Inputs<'stats'>, context: Context): Promise<Report> {
  const { sandboxId, baseUrl } = inputs;
  const { cancel } = context;
  // Without stats nothing can be judged, so the gate starts shut.
  const gate = gateOf(inputs, []);
  const base = { ...EMPTY_REPORT, task: 'stats', sandboxId, baseUrl, gate } as const;
  const client = openClient(inputs, context);
  try {
    const waitProblem = await waitFor(inputs, client, context);
    if (waitProblem !== undefined)
      return { ...base, errors: [waitProblem], cancelled: cancel.aborted };
    const measured = await measure(inputs, client, context);
    return { ...base, ...measured, cancelled: cancel.aborted };
  } finally {
    await client.close();
  }
}

/** Waits until the conditions of `wait-until` hold. Returns why the run cannot go on, if so. */
export async function waitFor(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
): Promise<ReportedError | undefined> {
  const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval: intervalMs } = inputs;
  const { sleep, cancel, clock, observer } = context;
  if (conditions === undefined) return undefined;
  observer.waiting(inputs);
  const wait = await waitUntil(
    conditions,
    () => sample(inputs, client, context),
    { intervalMs, timeoutMs, onSample: state => observer.waited(state) },
    { sleep, stop: cancel, clock },
  );
  return wait.held ? undefined : waitError(wait);
}

export interface GateCheck {
  /** What to report instead of uploading, if the gate can never be judged. */
  readonly problem: Pick<Report, 'gate' | 'errors'> | undefined;
  /** The sample taken for it, which starts the time that the next CPU figure covers. */
  readonly sample: Sample | undefined;
}

/** Finds out before the upload if `fail-if` can never be judged. */
export async function checkGateIsJudgeable(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
): Promise<GateCheck> {
  if (!isGated(inputs)) return { problem: undefined, sample: undefined };
  const sampled = await tryToSample(() => sample(inputs, client, context));
  // If this sample fails, the one after the upload reports why.
  if (sampled instanceof AgentError) return { problem: undefined, sample: undefined };
  const { figures } = sampled;
  const taken = { at: context.now(), figures };
  const unjudged = findUnmet(inputs.failIf, figures).filter(({ holds }) => holds === undefined);
  if (unjudged.length === 0) return { problem: undefined, sample: taken };
  const breaches = unjudged.map(judgement => ({ ...judgement, level: 'fail' as const }));
  const message = 'The gate cannot be judged, so nothing was uploaded.';
  const error = { message, details: unjudged.map(judgementLine) };
  return { problem: { gate: { ...gateOf(inputs, []), breaches }, errors: [error] }, sample: taken };
}

/** Takes samples and judges them. The gate fails if they cannot be had, or are stale. */
export async function measure(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
  previous?: Sample,
): Promise<Pick<Report, 'samples' | 'stats' | 'gate' | 'errors' | 'warnings'>> {
  const { samples: count, sampleInterval: intervalMs, retries } = inputs;
  const { sleep, cancel, now, observer } = context;
  const read = () =>
    withRetries(() => sample(inputs, client, context), {
      ...context,
      retries,
      stop: cancel,
      onRetry: retry => observer.event({ kind: 'retry', files: [], retry }),
    });
  const timing = { sleep, stop: cancel, now };
  const taken = await takeSamples(read, { count, intervalMs, previous }, timing);
  const { samples, error } = taken;
  if (error !== undefined) observer.event({ kind: 'failed', files: [], error });
  const before = taken.previous === undefined ? [] : [taken.previous];
  const stale = findStaleTimes([...before, ...samples]).map(describeUnseen);
  const unseen = reportUnseen(stale, inputs);
  const isBlind = samples.length < count || stale.length > 0;
  return {
    samples,
    stats: taken.stats,
    gate: gateOf(
      inputs,
      samples.map(({ figures }) => figures),
      isBlind,
    ),
    errors: [...(error === undefined ? [] : [reportError(error)]), ...unseen.errors],
    warnings: [...taken.warnings, ...unseen.warnings],
  };
}

async function sample(inputs: Inputs<'stats'>, client: Client, context: Context): Promise<Stats> {
  const { statsPath, failIf, warnIf, waitUntil: awaited = [] } = inputs;
  const sampled = await readStats(client, statsPath, metricsOf(failIf, warnIf, awaited));
  const shown = [...sampled.figures].map(
    ([name, figure]) => `${name} ${formatFigure(name, figure)}`,
  );
  context.debug(`Sample: ${shown.join(', ')}`);
  return sampled;
}
