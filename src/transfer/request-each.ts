import pLimit from 'p-limit';
import { AgentError, isFatal } from '../agent/failure.ts';
import { describeRetry, type Outcome, type RetryPolicy, withRetries } from '../agent/retry.ts';

export interface RequestEachOptions<I, T> extends RetryPolicy {
  readonly concurrency: number;
  readonly request: (item: I) => Promise<T>;
  /** Prevents new requests; the client aborts those in flight. */
  readonly cancel: AbortSignal;
  readonly clock: () => number;
  readonly log: TransferLog;
  readonly nameOf: (item: I) => string;
  /** Returns true for errors that make further requests pointless, besides fatal ones. */
  readonly isHopeless?: (item: I, error: AgentError) => boolean;
}

export interface TransferLog {
  readonly line: (text: string) => void;
  readonly debug: (text: string) => void;
}

export type TimedOutcome<T> = Outcome<T> & { readonly durationMs: number };

interface Requested<T> {
  /** In the order of the items; undefined for an item that was not attempted. */
  readonly outcomes: readonly (TimedOutcome<T> | undefined)[];
  readonly retries: number;
  /** Why items were not attempted. */
  readonly reason: string;
}

// This may leave good files unsent, but by then the job has failed anyway.
const MAX_CONSECUTIVE_FAILURES = 3;

/**
 * Sends a request for each item in parallel, with retries, until further requests would be
 * pointless.
 */
export async function requestEach<I, T>(
  items: readonly I[],
  options: RequestEachOptions<I, T>,
): Promise<Requested<T>> {
  const { concurrency, cancel, clock, log, nameOf, isHopeless } = options;
  const giveUp = new AbortController();
  const stop = AbortSignal.any([cancel, giveUp.signal]);
  const throttled = throttle(concurrency, stop, log);
  let consecutiveFailures = 0;

  async function requestOne(item: I): Promise<TimedOutcome<T> | undefined> {
    const startedAt = clock();
    const outcome = await withRetries(() => throttled(() => options.request(item)), {
      ...options,
      stop,
      onRetry: retry => log.line(describeRetry(nameOf(item), retry)),
    });
    const error = 'error' in outcome ? outcome.error : undefined;
    // The transfer ended before the first attempt.
    if (error?.kind === 'cancelled' && error.hadNoEffect) return undefined;
    if (error === undefined) consecutiveFailures = 0;
    else if (error.isRetryable) consecutiveFailures += 1;
    if (error !== undefined && (isFatal(error) || isHopeless?.(item, error)))
      giveUp.abort(`the transfer had ended: ${error.message}`);
    if (error !== undefined && consecutiveFailures >= MAX_CONSECUTIVE_FAILURES)
      giveUp.abort(
        `${MAX_CONSECUTIVE_FAILURES} requests in a row had failed, the last one so: ${error.message}`,
      );
    return { ...outcome, durationMs: Math.round(clock() - startedAt) };
  }

  // An item keeps its slot while it waits for a retry, so a dead sandbox gets few requests.
  const slots = pLimit(concurrency);
  const outcomes = await slots
    .map(items, requestOne)
    // If a bug throws, send nothing more.
    .finally(() => giveUp.abort('the transfer is over'));
  const retries = outcomes.reduce((sum, outcome) => sum + (outcome?.attempts ?? 1) - 1, 0);
  const reason = typeof stop.reason === 'string' ? stop.reason : 'the job was cancelled';
  return { outcomes, retries, reason };
}

/** Limits the requests in flight, and halves the limit whenever the sandbox is overloaded. */
function throttle(concurrency: number, stop: AbortSignal, log: TransferLog) {
  const requests = pLimit(concurrency);
  const slowDown = (limit: number, error: AgentError) => {
    const lower = Math.floor(limit / 2);
    // If several requests fail at the same limit, halve it only once.
    if (lower === 0 || requests.concurrency !== limit) return;
    requests.concurrency = lower;
    log.debug(`Concurrency: ${limit} → ${lower}, ${error.message}`);
  };
  return <T>(request: () => Promise<T>): Promise<T> =>
    requests(async () => {
      // The transfer may have ended while this request was queued.
      if (stop.aborted)
        throw new AgentError('cancelled', 'The transfer has ended.', { hadNoEffect: true });
      const limit = requests.concurrency;
      try {
        return await request();
      } catch (error) {
        if (error instanceof AgentError && isOverload(error)) slowDown(limit, error);
        throw error;
      }
    });
}

function isOverload({ status }: AgentError): boolean {
  return status === 429 || status === 503;
}
