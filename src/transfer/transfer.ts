import pLimit from 'p-limit';
import { AgentError, type Failure, isFatal } from '../agent/failure.ts';
import { type Outcome, type Retry, type RetryPolicy, withRetries } from '../agent/retry.ts';
import type { PlannedFile } from '../files/plan.ts';
import { listSome } from '../text/format.ts';
import { type Batch, batchesOf } from './multipart.ts';
import type { StoredFile, StoreFiles } from './store-files.ts';

/** Every planned file has exactly one result: `not-attempted` until it is sent. */
export type FileResult =
  | ({
      readonly status: 'uploaded';
      readonly attempts: number;
      readonly durationMs: number;
    } & StoredFile)
  | {
      readonly status: 'failed';
      readonly file: PlannedFile;
      readonly attempts: number;
      readonly durationMs: number;
      readonly error: Failure;
    }
  | ({ readonly status: 'unchanged' } & StoredFile)
  | {
      readonly status: 'skipped' | 'not-attempted';
      readonly file: PlannedFile;
      readonly reason: string;
      /** Set by dry runs with `checksums: true`. */
      readonly sha256?: string;
    };

export type TransferEvent =
  | { readonly kind: 'sent'; readonly bytes: number }
  /** `files` is empty for a stats request. */
  | { readonly kind: 'retry'; readonly files: readonly PlannedFile[]; readonly retry: Retry }
  /** Counts files, since their results may change until the transfer ends. */
  | { readonly kind: 'attempted'; readonly count: number }
  | { readonly kind: 'debug'; readonly text: string };

export interface TransferOptions extends RetryPolicy {
  readonly concurrency: number;
  readonly filesPerRequest: number;
  readonly storeFiles: StoreFiles;
  /** Prevents new requests; the client aborts those in flight. */
  readonly cancel: AbortSignal;
  readonly clock: () => number;
  readonly onEvent: (event: TransferEvent) => void;
}

/** Sends the files that are `not-attempted`. Returns the results of all files, in the same order. */
export async function transfer(
  planned: readonly FileResult[],
  options: TransferOptions,
): Promise<{ readonly files: readonly FileResult[]; readonly retries: number }> {
  const { storeFiles, concurrency, filesPerRequest, cancel, clock, onEvent } = options;
  const { retries, sleep, random } = options;
  const giveUp = new AbortController();
  const stop = AbortSignal.any([cancel, giveUp.signal]);
  const throttled = throttle(concurrency, stop, onEvent);
  const giveUpIfHopeless = failureCounter(giveUp);
  const results = new Map(planned.map(result => [result.file, result]));
  let repeated = 0;

  async function sendBatch(batch: Batch): Promise<void> {
    const startedAt = clock();
    let requests = 0;
    const attempt = () => {
      requests += 1;
      return storeFiles(batch, bytes => onEvent({ kind: 'sent', bytes }));
    };
    const onRetry = (retry: Retry) => onEvent({ kind: 'retry', files: batch, retry });
    const policy = { retries, sleep, random, stop, onRetry };
    const outcome = await withRetries(() => throttled(attempt), policy);
    if (requests === 0) return;
    repeated += requests - 1;
    giveUpIfHopeless(batch, outcome);
    const durationMs = Math.round(clock() - startedAt);
    for (const result of resultsOf(batch, outcome, durationMs)) results.set(result.file, result);
    onEvent({ kind: 'attempted', count: batch.length });
  }

  // A batch keeps its slot while it waits for a retry, so a dead sandbox gets few requests.
  const slots = pLimit(concurrency);
  const unsent = planned.filter(({ status }) => status === 'not-attempted');
  const batches = batchesOf(
    unsent.map(({ file }) => file),
    filesPerRequest,
  );
  await slots
    .map(batches, sendBatch)
    // If a bug throws, send nothing more.
    .finally(() => giveUp.abort('the transfer is over'));

  const reason = reasonOf(stop);
  const files = Array.from(results.values(), result =>
    result.status === 'not-attempted' ? { ...result, reason } : result,
  );
  return { files: failOverwritten(files), retries: repeated };
}

/** Limits the requests in flight, and halves the limit whenever the sandbox is overloaded. */
function throttle(concurrency: number, stop: AbortSignal, onEvent: TransferOptions['onEvent']) {
  const requests = pLimit(concurrency);
  const slowDown = (limit: number, error: AgentError) => {
    const lower = Math.floor(limit / 2);
    // If several requests fail at the same limit, halve it only once.
    if (lower === 0 || requests.concurrency !== limit) return;
    requests.concurrency = lower;
    onEvent({ kind: 'debug', text: `Concurrency: ${limit} → ${lower}, ${error.message}` });
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

// This may leave good files unsent, but by then the job has failed anyway.
const MAX_CONSECUTIVE_FAILURES = 3;

/** Returns a callback for each outcome, which aborts `giveUp` once more requests are pointless. */
function failureCounter(giveUp: AbortController) {
  let consecutiveFailures = 0;
  return (batch: Batch, outcome: Outcome<unknown>): void => {
    if (!('error' in outcome)) {
      consecutiveFailures = 0;
      return;
    }
    const { error } = outcome;
    if (isFatal(error) || mayHaveOverwrittenOthers(batch, error))
      giveUp.abort(`the transfer had ended: ${error.message}`);
    if (error.isRetryable) consecutiveFailures += 1;
    if (consecutiveFailures < MAX_CONSECUTIVE_FAILURES) return;
    const count = `${MAX_CONSECUTIVE_FAILURES} requests in a row`;
    giveUp.abort(`${count} had failed, the last one so: ${error.message}`);
  };
}

// An agent that drops folders may have written part of a batch over other files.
function mayHaveOverwrittenOthers(batch: Batch, { kind }: AgentError): boolean {
  return batch.length > 1 && (kind === 'rejected' || kind === 'bad-answer');
}

function reasonOf(stop: AbortSignal): string {
  return typeof stop.reason === 'string' ? stop.reason : 'the job was cancelled';
}

function resultsOf(
  batch: Batch,
  outcome: Outcome<readonly StoredFile[]>,
  durationMs: number,
): FileResult[] {
  const { attempts } = outcome;
  if (!('error' in outcome))
    return outcome.value.map(stored => ({ status: 'uploaded', attempts, durationMs, ...stored }));
  const { kind, status, message, hint } = outcome.error;
  const isSuspect = mayHaveOverwrittenOthers(batch, outcome.error);
  const advice = isSuspect ? ' files-per-request: 1 sends each file alone.' : '';
  const error = { kind, status, message, hint: `${hint}${advice}` };
  return batch.map(file => ({ status: 'failed', file, attempts, durationMs, error }));
}

// If the agent stored several files at the same path, only one of them survives.
function failOverwritten(results: readonly FileResult[]): FileResult[] {
  const byPath = Map.groupBy(results, result => ('path' in result ? result.path : ''));
  return results.map((result): FileResult => {
    if (!('path' in result)) return result;
    const { file, path } = result;
    const [first = result, ...others] = byPath.get(path) ?? [];
    if (others.length === 0) return result;
    const names = [first, ...others].map(each => each.file.source);
    const sources = listSome(names, 1);
    const message = `${sources} were stored at the same place, ${path}: only one of them is there.`;
    const hint = 'Give one of them another target, or exclude it.';
    const error: Failure = { kind: 'rejected', status: undefined, message, hint };
    const { attempts, durationMs } =
      result.status === 'uploaded' ? result : { attempts: 0, durationMs: 0 };
    return { status: 'failed', file, attempts, durationMs, error };
  });
}
