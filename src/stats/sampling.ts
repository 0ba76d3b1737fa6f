import type { Client, RequestLimits } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import { bodyError } from '../agent/http.ts';
import { describeRetry, type Outcome, withRetries } from '../agent/retry.ts';
import type { Figures, Sample } from '../gate/metrics.ts';
import type { Context } from '../inputs/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatDuration } from '../text/format.ts';
import { parseRedacted } from '../text/json.ts';

export interface Stats {
  readonly figures: Figures;
  /** What the agent sent, redacted. */
  readonly response: object;
}

/** A request for the stats, sent at `askedAt`, whose response arrived or failed `at`. */
export type Observation = { readonly askedAt: number } & (
  | ({ readonly kind: 'sample' } & Sample)
  | { readonly kind: 'failure'; readonly at: number; readonly message: string }
);

export type FailedObservation = Extract<Observation, { kind: 'failure' }>;

export interface SampleRecord {
  readonly observations: readonly Observation[];
  /** The last one. */
  readonly response: object;
  /** Why sampling ended before it was asked to, without a period. */
  readonly endReason: string | undefined;
}

// The last response becomes an output, and a job's outputs share 1 MB.
const MAX_STATS_LENGTH = 128 * 1024;

export async function readStats(
  client: Pick<Client, 'send' | 'redact'>,
  path: string,
  limits: RequestLimits,
): Promise<Stats> {
  // A cache could answer for a sandbox that is gone.
  const headers = { 'Cache-Control': 'no-cache' };
  const request = { ...limits, method: 'GET', path, headers, hints: STATS_HINTS } as const;
  const response = await client.send(request);
  if (response.body.length > MAX_STATS_LENGTH)
    throw bodyError(response, 'it is longer than 128 KiB');
  const value = parseRedacted(response.body, client.redact);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw bodyError(response, 'it is not a JSON object');
  return { figures: figuresIn(value), response: value };
}

/** Reads the stats with the input `retries`, and logs the retries and the response. */
export async function readStatsWithRetries(
  { statsPath, retries, timeout }: Pick<Inputs<'stats'>, 'statsPath' | 'retries' | 'timeout'>,
  client: Client,
  context: Context,
): Promise<Outcome<Stats>> {
  const { cancel, log } = context;
  const read = () => readStats(client, statsPath, { signal: cancel, timeout });
  const outcome = await withRetries(read, {
    ...context,
    retries,
    stop: cancel,
    onRetry: retry => log.line(describeRetry('the stats', retry)),
  });
  if (outcome.status === 'done') log.debug(`Stats: ${JSON.stringify(outcome.value.response)}`);
  return outcome;
}

export async function trySample(
  read: () => Promise<Stats>,
  now: () => number,
): Promise<{ readonly observation: Observation; readonly response?: object }> {
  const askedAt = now();
  try {
    const { figures, response } = await read();
    return { observation: { kind: 'sample', askedAt, at: now(), figures }, response };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    const at = now();
    const unanswered = `The sandbox had not answered after ${formatDuration(at - askedAt)}.`;
    const message = error.kind === 'cancelled' ? unanswered : error.message;
    return { observation: { kind: 'failure', askedAt, at, message } };
  }
}

/** Takes a sample after each interval until `stop` aborts. */
export async function takeSamples(
  take: () => Promise<void>,
  options: {
    readonly intervalMs: number;
    readonly firstMs?: number;
    readonly sleep: Context['sleep'];
    readonly stop: AbortSignal;
    /** Takes another sample if `stop` aborts between two samples. */
    readonly sampleOnStop: boolean;
  },
): Promise<void> {
  const { intervalMs, firstMs = intervalMs, sleep, stop, sampleOnStop } = options;
  for (let waitMs = firstMs; !stop.aborted; waitMs = intervalMs) {
    const isDue = await sleep(waitMs, stop);
    if (isDue || sampleOnStop) await take();
  }
}

/** How long to wait at the end for a response that is still due. */
export const LAST_RESPONSE_MS = 5000;

/** Returns a signal that aborts a while after `stop` does, to be declared with `using`. */
export function deadlineAfter(stop: AbortSignal, ms: number, sleep: Context['sleep']) {
  const deadline = new AbortController();
  const abort = () => deadline.abort();
  stop.addEventListener('abort', () => void sleep(ms, deadline.signal).then(abort));
  return { signal: deadline.signal, [Symbol.dispose]: abort };
}

const MIN_SAMPLE_TIMEOUT_MS = 10_000;

/** Returns milliseconds. A sample that hangs must not take the place of many. */
export function sampleTimeout(inputs: { timeout: number; sampleInterval: number }): number {
  return Math.min(inputs.timeout, Math.max(MIN_SAMPLE_TIMEOUT_MS, inputs.sampleInterval));
}

const STATS_HINTS = {
  'not-found':
    'Check base-url and stats-path, which is added to it: the service has no such operation there. If it has no stats, use the actions `upload`, `download`, and `run` without conditions.',
};

// Network file systems report 2^63 bytes. Up to that, no percentage reaches 1e21, which JavaScript
// writes with an exponent, and no sum overflows.
const MAX_FIGURE = 2 ** 63;

/** Returns the numbers among the fields, and the figures that follow from them. */
function figuresIn(fields: object): Figures {
  const numbers = Object.entries(fields).flatMap(([name, field]: [string, unknown]) => {
    // E2B's agent lists the processes that the kernel killed.
    const value = name === 'oom_kills' && Array.isArray(field) ? field.length : field;
    const isFigure = typeof value === 'number' && Math.abs(value) <= MAX_FIGURE;
    return isFigure ? [[name, value] as const] : [];
  });
  const figures = Object.fromEntries(numbers);
  dropUnknownTotals(figures);
  addDerivedFigures(figures);
  return figures;
}

function addDerivedFigures(figures: Record<string, number>): void {
  for (const name of ['mem_total', 'mem_used']) {
    const { [name]: bytes, [`${name}_mib`]: mebibytes } = figures;
    if (bytes === undefined && mebibytes !== undefined) figures[name] = mebibytes * 2 ** 20;
    // Round down, as E2B's agents before 0.9 did for the MiB that they reported.
    if (mebibytes === undefined && bytes !== undefined)
      figures[`${name}_mib`] = Math.floor(bytes / 2 ** 20);
  }
  for (const name of ['mem', 'disk']) {
    const { [`${name}_total`]: total, [`${name}_used`]: used } = figures;
    if (total === undefined || used === undefined) continue;
    figures[`${name}_used_pct`] = Math.round((used / total) * 10_000) / 100;
    figures[`${name}_free`] = total - used;
  }
}

/** Services report an unknown total as 0. Drops it, and figures that mean nothing without it. */
function dropUnknownTotals(figures: Record<string, number>): void {
  for (const total of ['mem_total', 'mem_total_mib', 'disk_total'])
    if ((figures[total] ?? 1) < 1)
      for (const part of ['total', 'used', 'used_pct', 'free'])
        delete figures[total.replace('total', part)];
}
