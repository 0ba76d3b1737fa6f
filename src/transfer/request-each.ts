import pLimit from 'p-limit';
import { AgentError, isFatal } from '../agent/failure.ts';
import { type Outcome, type Retry, type RetryPolicy, withRetries } from '../agent/retry.ts';

export interface RequestEachOptions<I, T> extends RetryPolicy {
  readonly concurrency: number;
  readonly request: (item: I) => Promise<T>;
  /** Prevents new requests; the client aborts those in flight. */
  readonly cancel: AbortSignal;
  readonly clock: () => number;
  readonly onRetry: (item: I, retry: Retry) => void;
  readonly onOutcome: (item: I, outcome: TimedOutcome<T>) => void;
  readonly onDebug: (text: string) => void;
  /** Returns true for errors that make further requests pointless, besides fatal ones. */
  readonly isHopeless?: (item: I, error: AgentError) => boolean;
}

export type TimedOutcome<T> = Outcome<T> & { readonly durationMs: number };

// This may leave good files unsent, but by then the job has failed anyway.
const MAX_CONSECUTIVE_FAILURES = 3;

/**
 * Sends a request for each item in parallel, with retries, until further requests would be
 * pointless. Returns why the remaining items were not attempted.
 */
export async function requestEach<I, T>(
  items: readonly I[],
  options: RequestEachOptions<I, T>,
): Promise<string> {
  const { concurrency, cancel, clock, onRetry, onOutcome, onDebug, isHopeless } = options;
  const giveUp = new AbortController();
  const stop = AbortSignal.any([cancel, giveUp.signal]);
  const throttled = throttle(concurrency, stop, onDebug);
  let consecutiveFailures = 0;

  async function requestOne(item: I): Promise<void> {
    const startedAt = clock();
    const outcome = await withRetries(() => throttled(() => options.request(item)), {
      ...options,
      stop,
      onRetry: retry => onRetry(item, retry),
    });
    const error = 'error' in outcome ? outcome.error : undefined;
    // The transfer ended before the first attempt.
    if (error?.kind === 'cancelled' && error.isUnsent) return;
    onOutcome(item, { ...outcome, durationMs: Math.round(clock() - startedAt) });
    if (error === undefined) {
      consecutiveFailures = 0;
      return;
    }
    if (error.isRetryable) consecutiveFailures += 1;
    if (isFatal(error) || isHopeless?.(item, error))
      giveUp.abort(`the transfer had ended: ${error.message}`);
    if (consecutiveFailures < MAX_CONSECUTIVE_FAILURES) return;
    const count = `${MAX_CONSECUTIVE_FAILURES} requests in a row`;
    giveUp.abort(`${count} had failed, the last one so: ${error.message}`);
  }

  // An item keeps its slot while it waits for a retry, so a dead sandbox gets few requests.
  const slots = pLimit(concurrency);
  await slots
    .map(items, requestOne)
    // If a bug throws, send nothing more.
    .finally(() => giveUp.abort('the transfer is over'));
  return typeof stop.reason === 'string' ? stop.reason : 'the job was cancelled';
}

/** Limits the requests in flight, and halves the limit whenever the sandbox is overloaded. */
function throttle(concurrency: number, stop: AbortSignal, onDebug: (text: string) => void) {
  const requests = pLimit(concurrency);
  const slowDown = (limit: number, error: AgentError) => {
    const lower = Math.floor(limit / 2);
    // If several requests fail at the same limit, halve it only once.
    if (lower === 0 || requests.concurrency !== limit) return;
    requests.concurrency = lower;
    onDebug(`Concurrency: ${limit} → ${lower}, ${error.message}`);
  };
  return <T>(request: () => Promise<T>): Promise<T> =>
    requests(async () => {
      // The transfer may have ended while this request was queued.
      if (stop.aborted)
        throw new AgentError('cancelled', 'The transfer has ended.', { isUnsent: true });
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
