import pLimit from 'p-limit';
import { AgentError, type FailureInfo, failureInfoOf } from './failure.ts';
import { describeRetry, type Retry, type RetryOptions, withRetries } from './retry.ts';

export interface Attempts {
  readonly attempts: number;
  /** Includes the pauses before retries. */
  readonly durationMs: number;
}

export type FailedOrNotAttempted =
  | ({ readonly status: 'failed'; readonly error: FailureInfo } & Attempts)
  | { readonly status: 'not-attempted'; readonly reason: string };

export type RequestResult<I, T> = { readonly item: I } & (
  | ({ readonly status: 'done'; readonly value: T } & Attempts)
  | FailedOrNotAttempted
);

export interface TransferTotals {
  readonly retries: number;
  readonly durationMs: number;
}

interface TransferContext extends Pick<RetryOptions, 'sleep' | 'random'> {
  readonly cancel: AbortSignal;
  /** Monotonic time in milliseconds. */
  readonly clock: () => number;
  readonly log: Readonly<Record<'line' | 'debug', (text: string) => void>>;
}

// Stopping after so few may leave good files unsent, but by then the job has failed anyway.
const MAX_CONSECUTIVE_FAILURES = 3;

/**
 * Sends a request for each item in parallel, with retries, until further ones would be pointless.
 * Returns the results in the order of the items.
 */
export async function requestEach<I, T>(
  items: readonly I[],
  { send, nameOf }: { send: (item: I) => Promise<T>; nameOf: (item: I) => string },
  { concurrency, retries: maxRetries }: { concurrency: number; retries: number },
  context: TransferContext,
): Promise<{ readonly results: readonly RequestResult<I, T>[] } & TransferTotals> {
  const { cancel, clock, log } = context;
  const giveUp = new AbortController();
  const stop = AbortSignal.any([cancel, giveUp.signal]);
  const throttled = throttle(concurrency, stop, log);
  const durationSince = (start: number) => Math.round(clock() - start);
  let retries = 0;
  let consecutiveFailures = 0;

  async function requestOne(item: I): Promise<RequestResult<I, T>> {
    const startedAt = clock();
    const onRetry = (retry: Retry) => log.line(describeRetry(nameOf(item), retry));
    const options = { ...context, retries: maxRetries, stop, onRetry };
    const outcome = await withRetries(() => throttled(() => send(item)), options);
    retries += outcome.attempts - 1;
    const attempts = { attempts: outcome.attempts, durationMs: durationSince(startedAt) };
    if (outcome.status === 'done') {
      consecutiveFailures = 0;
      return { item, status: 'done', ...attempts, value: outcome.value };
    }
    const { error } = outcome;
    if (error.isRetryable) consecutiveFailures += 1;
    // Every other request would share a fatal failure, too.
    if (error.isFatal || consecutiveFailures >= MAX_CONSECUTIVE_FAILURES)
      giveUp.abort(`the transfer had ended: ${error.message}`);
    if (error.kind === 'cancelled' && error.hadNoEffect)
      return { item, status: 'not-attempted', reason: String(stop.reason) };
    return { item, status: 'failed', ...attempts, error: failureInfoOf(error) };
  }

  const startedAt = clock();
  const results: RequestResult<I, T>[] = [];
  const queue = items.entries();
  // A lane keeps its item while that waits for a retry, so a dead sandbox gets few requests.
  const lane = async () => {
    for (const [index, item] of queue) results[index] = await requestOne(item);
  };
  await Promise.all(Array.from({ length: concurrency }, lane))
    // If a bug throws, send nothing more.
    .finally(() => giveUp.abort('the transfer is over'));
  return { results, retries, durationMs: durationSince(startedAt) };
}

/** Limits the requests in flight, and halves the limit whenever the sandbox is overloaded. */
function throttle(concurrency: number, stop: AbortSignal, log: TransferContext['log']) {
  const requests = pLimit(concurrency);
  return <T>(request: () => Promise<T>): Promise<T> =>
    requests(async () => {
      // The transfer may have ended while this request was queued.
      if (stop.aborted)
        throw new AgentError('cancelled', 'The transfer has ended.', { hadNoEffect: true });
      const limit = requests.concurrency;
      try {
        return await request();
      } catch (error) {
        // If several requests fail at the same limit, halve it only once.
        if (isOverload(error) && limit > 1 && requests.concurrency === limit) {
          requests.concurrency = Math.floor(limit / 2);
          log.debug(`Concurrency: ${limit} → ${requests.concurrency}, ${error.message}`);
        }
        throw error;
      }
    });
}

function isOverload(error: unknown): error is AgentError {
  return error instanceof AgentError && (error.status === 429 || error.status === 503);
}
