import pLimit from 'p-limit';
import { AgentError, type FailureInfo, failureInfoOf, isFatal } from './failure.ts';
import { describeRetry, type Retry, type RetryOptions, withRetries } from './retry.ts';

export interface Timing {
  readonly attempts: number;
  /** Includes the pauses before retries. */
  readonly durationMs: number;
}

/** A file that was not transferred. `F` says which file it is. */
export type UntransferredRow<F> = F &
  (
    | (Timing & { readonly status: 'failed'; readonly error: FailureInfo })
    | { readonly status: 'not-attempted'; readonly reason: string }
  );

export interface Transfer<Row> {
  /** The rows of all files, in the order of the items. */
  readonly files: readonly Row[];
  readonly retries: number;
  readonly durationMs: number;
}

interface Requests<I, F, R> {
  /** Returns the rows of an item's files. */
  readonly send: (item: I) => Promise<readonly R[]>;
  /** Returns the files of an item, for the rows of those that fail. */
  readonly filesOf: (item: I) => readonly F[];
  readonly nameOf: (item: I) => string;
}

interface TransferContext extends Pick<RetryOptions, 'sleep' | 'random'> {
  readonly cancel: AbortSignal;
  readonly now: () => number;
  readonly log: Readonly<Record<'line' | 'debug', (text: string) => void>>;
}

// Stopping after so few may leave good files unsent, but by then the job has failed anyway.
const MAX_CONSECUTIVE_FAILURES = 3;

/** Sends a request for each item in parallel, with retries, until further ones would be pointless. */
export async function requestEach<I, F extends object, R extends object>(
  items: readonly I[],
  { send, filesOf, nameOf }: Requests<I, F, R>,
  { concurrency, retries: maxRetries }: { concurrency: number; retries: number },
  context: TransferContext,
): Promise<Transfer<(R & Timing) | UntransferredRow<F>>> {
  const { cancel, now, log } = context;
  const giveUp = new AbortController();
  const stop = AbortSignal.any([cancel, giveUp.signal]);
  const throttled = throttle(concurrency, stop, log);
  let retries = 0;
  let consecutiveFailures = 0;

  async function requestOne(item: I): Promise<((R & Timing) | UntransferredRow<F>)[]> {
    const startedAt = now();
    const onRetry = (retry: Retry) => log.line(describeRetry(nameOf(item), retry));
    const options = { ...context, retries: maxRetries, stop, onRetry };
    const outcome = await withRetries(() => throttled(() => send(item)), options);
    retries += outcome.attempts - 1;
    const timing = { attempts: outcome.attempts, durationMs: now() - startedAt };
    if (outcome.status === 'done') {
      consecutiveFailures = 0;
      return outcome.value.map(row => ({ ...row, ...timing }));
    }
    const { error } = outcome;
    if (error.isRetryable) consecutiveFailures += 1;
    // Every other request would share a fatal failure, too.
    if (isFatal(error.kind) || consecutiveFailures >= MAX_CONSECUTIVE_FAILURES)
      giveUp.abort(`the transfer had ended: ${error.message}`);
    const isUnsent = error.kind === 'cancelled' && error.hadNoEffect;
    const end = isUnsent
      ? ({ status: 'not-attempted', reason: String(stop.reason) } as const)
      : ({ status: 'failed', ...timing, error: failureInfoOf(error) } as const);
    return filesOf(item).map(file => ({ ...file, ...end }));
  }

  const startedAt = now();
  const rows: ((R & Timing) | UntransferredRow<F>)[][] = [];
  const queue = items.entries();
  // A lane keeps its item while that waits for a retry, so a dead sandbox gets few requests.
  const lane = async () => {
    for (const [index, item] of queue) rows[index] = await requestOne(item);
  };
  await Promise.all(Array.from({ length: concurrency }, lane))
    // If a bug throws, send nothing more.
    .finally(() => giveUp.abort('the transfer is over'));
  return { files: rows.flat(), retries, durationMs: now() - startedAt };
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
