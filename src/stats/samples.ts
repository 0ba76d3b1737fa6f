import type { Context } from '../agent/context.ts';
import { AgentError } from '../agent/failure.ts';
import type { Sample } from '../gate/metrics.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatDuration } from '../text/format.ts';
import type { Stats } from './sample.ts';

/** A request for the stats, sent at `askedAt`, whose response arrived or failed `at`. */
export type Attempt = { readonly askedAt: number } & (
  | ({ readonly kind: 'sample' } & Sample)
  | { readonly kind: 'failure'; readonly at: number; readonly message: string }
);

export type FailedAttempt = Extract<Attempt, { kind: 'failure' }>;

export interface SampleRecord {
  readonly attempts: readonly Attempt[];
  readonly response: string;
  readonly end: SamplingEnd;
}

/** `early` says why sampling ended before it was asked to, without a period. */
export type SamplingEnd = 'requested' | { readonly early: string };

/** Reads the stats once, and passes their response to `keep`. */
export async function trySample(
  read: () => Promise<Stats>,
  keep: (response: string) => void,
  now: () => number,
): Promise<Attempt> {
  const askedAt = now();
  try {
    const { figures, response } = await read();
    keep(response);
    return { kind: 'sample', askedAt, at: now(), figures };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    const at = now();
    const unanswered = `The sandbox had not answered after ${formatDuration(at - askedAt)}.`;
    const message = error.kind === 'cancelled' ? unanswered : error.message;
    return { kind: 'failure', askedAt, at, message };
  }
}

/** Records a sample after each interval until `stop` aborts. */
export async function takeSamples(
  take: () => Promise<Attempt>,
  record: (attempt: Attempt) => void,
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
    if (isDue || sampleOnStop) record(await take());
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
export function sampleTimeout({
  timeout,
  sampleInterval,
}: Pick<Inputs<'monitor'>, 'timeout' | 'sampleInterval'>): number {
  return Math.min(timeout, Math.max(MIN_SAMPLE_TIMEOUT_MS, sampleInterval));
}
