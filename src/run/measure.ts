import { type Client, openClient } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import { withRetries } from '../agent/retry.ts';
import { exactly } from '../gate/exact-number.ts';
import { gateOf, isGated, metricsOf } from '../gate/judge.ts';
import type { Inputs } from '../inputs/table.ts';
import { formatFigure, judgementLine } from '../report/figures.ts';
import { EMPTY_REPORT, type Report, type ReportedError } from '../report/report.ts';
import { reportedError, waitError } from '../report/verdict.ts';
import { decodeStats, type Stats } from '../stats/decode.ts';
import { lookAt, type Patience, takeSamples, waitUntil } from '../stats/sample.ts';
import type { Surroundings } from './surroundings.ts';

/** Waits for the sandbox, measures and judges it. What fails on the way is in the report. */
export async function stats(inputs: Inputs<'stats'>, surroundings: Surroundings): Promise<Report> {
  const { sandboxId, baseUrl } = inputs;
  const { cancel } = surroundings;
  // Until there are stats, nothing can be judged, and the gate stays shut.
  const base = { ...EMPTY_REPORT, task: 'stats', sandboxId, baseUrl, gate: gateOf(inputs, []) } as const;
  const client = openClient(inputs, { connections: 1, ...surroundings });
  try {
    const obstacle = await waitFor(inputs, client, surroundings);
    if (obstacle !== undefined) return { ...base, errors: [obstacle], cancelled: cancel.aborted };
    return { ...base, ...(await measure(inputs, client, surroundings)), cancelled: cancel.aborted };
  } finally {
    await client.close();
  }
}

/** Waits until the conditions of `wait-until` hold. What kept it from going on comes back, if anything did. */
export async function waitFor(
  inputs: Inputs<'stats'>,
  client: Client,
  surroundings: Surroundings,
): Promise<ReportedError | undefined> {
  const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval: intervalMs } = inputs;
  const { sleep, cancel, clock, observer } = surroundings;
  if (conditions === undefined) return undefined;
  observer.waiting(inputs);
  const read = () => reading(inputs, client, surroundings);
  const patience: Patience = { intervalMs, timeoutMs, onLook: wait => observer.waited(wait) };
  const end = await waitUntil(conditions, read, patience, { sleep, stop: cancel, now: clock });
  return end.held ? undefined : waitError(end);
}

/**
 * Reads the stats once, where there are conditions: what can never be judged comes back before anything is sent, and the
 * CPU figure that is read after an upload covers the upload.
 */
export async function foresee(
  inputs: Inputs<'stats'>,
  client: Client,
  surroundings: Surroundings,
): Promise<Pick<Report, 'gate' | 'errors'> | undefined> {
  if (!isGated(inputs)) return undefined;
  const look = await lookAt(inputs.failIf, () => reading(inputs, client, surroundings));
  // Why the stats cannot be had is found out when they are due.
  const missing = look instanceof AgentError ? [] : look.filter(({ holds }) => holds === undefined);
  if (missing.length === 0) return undefined;
  const breaches = missing.map(judgement => ({ ...judgement, level: 'fail' as const }));
  const error = { message: 'The gate cannot be judged, so nothing was uploaded.', details: missing.map(judgementLine) };
  return { gate: { ...gateOf(inputs, []), breaches }, errors: [error] };
}

/** Reads the stats, which may have been read before, and judges them. Where they cannot be had, the gate failed. */
export async function measure(
  inputs: Inputs<'stats'>,
  client: Client,
  surroundings: Surroundings,
  wasRead = false,
): Promise<Pick<Report, 'samples' | 'stats' | 'gate' | 'errors' | 'warnings'>> {
  const { samples: count, sampleInterval: intervalMs, retries } = inputs;
  const { sleep, cancel, now, observer } = surroundings;
  const read = () =>
    withRetries(() => reading(inputs, client, surroundings), {
      ...surroundings,
      retries,
      stop: cancel,
      onRetry: retry => observer.event({ kind: 'retry', files: [], retry }),
    });
  const timing = { sleep, stop: cancel, now };
  const { error, ...taken } = await takeSamples(read, { count, intervalMs, wasRead }, timing);
  const figures = taken.samples.map(sample => sample.figures);
  const gate = gateOf(inputs, figures, figures.length < count);
  return { ...taken, gate, errors: error === undefined ? [] : [reportedError(error)] };
}

const MAX_FIGURES = 30;

async function reading(inputs: Inputs<'stats'>, client: Client, { debug }: Surroundings): Promise<Stats> {
  const read = decodeStats(await client.stats(), metricsOf(inputs.failIf, inputs.warnIf, inputs.waitUntil ?? []));
  if (debug !== undefined) {
    const figures = [...read.figures].slice(0, MAX_FIGURES);
    const shown = figures.map(([name, figure]) => `${name} ${formatFigure(name, exactly(figure))}`);
    debug('reading', `Reading: ${shown.join(', ')}`);
  }
  return read;
}
