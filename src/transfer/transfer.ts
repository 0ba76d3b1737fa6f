import pLimit from 'p-limit';
import { AgentError, type Failure, isFatal } from '../agent/failure.ts';
import { type Outcome, type Retry, type RetryPolicy, withRetries } from '../agent/retry.ts';
import type { PlannedFile } from '../files/plan.ts';
import { andMore } from '../text/format.ts';
import { batchesOf } from './batches.ts';
import type { StoredFile, StoreResults, Upload } from './store-files.ts';

/** Every planned file has exactly one result. */
export type FileResult = { readonly file: PlannedFile } & (
  | ({ readonly status: 'uploaded' } & Attempts & StoredFile)
  | ({ readonly status: 'failed'; readonly error: Failure } & Attempts)
  | ({ readonly status: 'unchanged' } & StoredFile)
  | {
      readonly status: 'skipped' | 'not-attempted';
      readonly reason: string;
      /** Set by dry runs with `checksums: true`. */
      readonly sha256?: string;
    }
);

interface Attempts {
  readonly attempts: number;
  readonly durationMs: number;
}

export type TransferEvent =
  | { readonly kind: 'sent'; readonly bytes: number }
  /** `files` is empty for a stats request. */
  | { readonly kind: 'retry'; readonly files: readonly PlannedFile[]; readonly retry: Retry }
  | { readonly kind: 'settled'; readonly result: FileResult }
  | { readonly kind: 'debug'; readonly text: string };

export interface TransferOptions extends RetryPolicy {
  readonly concurrency: number;
  readonly filesPerRequest: number;
  readonly upload: Upload;
  readonly unchanged: ReadonlyMap<PlannedFile, StoredFile>;
  /** Prevents new requests; the client aborts those in flight. */
  readonly cancel: AbortSignal;
  readonly clock: () => number;
  readonly onEvent: (event: TransferEvent) => void;
}

/** Uploads all changed files. Returns one result per file, in plan order. */
export async function transfer(
  files: readonly PlannedFile[],
  options: TransferOptions,
): Promise<FileResult[]> {
  const { upload, concurrency, filesPerRequest, unchanged, cancel, clock, onEvent } = options;
  const ending = new AbortController();
  const stop = AbortSignal.any([cancel, ending.signal]);
  const throttled = throttle(concurrency, stop, onEvent);
  const giveUpIfHopeless = failureCounter(ending);

  async function sendBatch(batch: readonly PlannedFile[]): Promise<FileResult[]> {
    const startedAt = clock();
    let isAttempted = false;
    const attempt = () => {
      isAttempted = true;
      return upload(batch, bytes => onEvent({ kind: 'sent', bytes }));
    };
    const outcome = await withRetries(() => throttled(attempt), {
      ...options,
      stop,
      onRetry: retry => onEvent({ kind: 'retry', files: batch, retry }),
    });
    if (!isAttempted) return [];
    giveUpIfHopeless(batch, outcome);
    const results = resultsOf(batch, outcome, Math.round(clock() - startedAt));
    for (const result of results) onEvent({ kind: 'settled', result });
    return results;
  }

  // A batch keeps its slot while it waits for a retry, so a dead sandbox gets few of them.
  const batches = pLimit(concurrency);
  const changed = files.filter(file => !unchanged.has(file));
  const sent = await batches
    .map(batchesOf(changed, filesPerRequest), sendBatch)
    // If a bug throws, send nothing more.
    .finally(() => ending.abort('the transfer is over'));

  const results = new Map(sent.flat().map(result => [result.file, result]));
  const inOrder = inPlanOrder(files, unchanged, file => {
    return results.get(file) ?? { status: 'not-attempted', file, reason: reasonOf(stop) };
  });
  return failOverwritten(inOrder);
}

/** Returns one result per file, calling `resultOf` for changed files. */
export function inPlanOrder(
  files: readonly PlannedFile[],
  unchanged: TransferOptions['unchanged'],
  resultOf: (file: PlannedFile) => FileResult,
): FileResult[] {
  return files.map(file => {
    const stored = unchanged.get(file);
    return stored === undefined ? resultOf(file) : { status: 'unchanged', file, ...stored };
  });
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
      if (stop.aborted) throw new AgentError('cancelled', 'The transfer has ended.');
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

/** Returns a callback for each outcome, which aborts `ending` once more requests are pointless. */
function failureCounter(ending: AbortController) {
  let consecutiveFailures = 0;
  return (batch: readonly PlannedFile[], outcome: Outcome<unknown>): void => {
    if (!('error' in outcome)) {
      consecutiveFailures = 0;
      return;
    }
    const { error } = outcome;
    if (isFatal(error) || mayBeMisplaced(batch, error))
      ending.abort(`the transfer had ended: ${error.message}`);
    // A file that changed says nothing about the sandbox.
    if (error.isRetryable && error.kind !== 'file-changed') consecutiveFailures += 1;
    if (consecutiveFailures < MAX_CONSECUTIVE_FAILURES) return;
    const count = `${MAX_CONSECUTIVE_FAILURES} requests in a row`;
    ending.abort(`${count} had failed, the last one so: ${error.message}`);
  };
}

// An agent that drops folders may have written part of a batch over other files.
function mayBeMisplaced(batch: readonly PlannedFile[], { kind }: AgentError): boolean {
  return batch.length > 1 && (kind === 'rejected' || kind === 'bad-answer');
}

function reasonOf(stop: AbortSignal): string {
  return typeof stop.reason === 'string' ? stop.reason : 'the job was cancelled';
}

function resultsOf(
  batch: readonly PlannedFile[],
  outcome: Outcome<StoreResults>,
  durationMs: number,
): FileResult[] {
  const attempts: Attempts = { attempts: outcome.attempts, durationMs };
  const fail = (files: readonly PlannedFile[], error: AgentError): FileResult[] => {
    const failure = failureOf(files, error);
    return files.map(file => ({ status: 'failed', file, ...attempts, error: failure }));
  };
  if ('error' in outcome) return fail(batch, outcome.error);
  return [...outcome.value].flatMap(([file, stored]): FileResult[] => {
    // An unreadable file does not fail its batch.
    if (stored instanceof AgentError) return fail([file], stored);
    return [{ status: 'uploaded', file, ...attempts, ...stored }];
  });
}

function failureOf(files: readonly PlannedFile[], error: AgentError): Failure {
  const { kind, status, message, hint } = error;
  const isAdvised = files.length > 1 && !isFatal(error);
  const advice = isAdvised ? ' files-per-request: 1 sends each file alone.' : '';
  return { kind, status, message, hint: `${hint}${advice}` };
}

// If the agent stored several files at the same path, only one of them survives.
function failOverwritten(results: readonly FileResult[]): FileResult[] {
  const byPath = Map.groupBy(results, result => ('path' in result ? result.path : ''));
  return results.map((result): FileResult => {
    if (!('path' in result)) return result;
    const { file, path } = result;
    const [first = result, ...others] = byPath.get(path) ?? [];
    if (others.length === 0) return result;
    const sources = andMore(first.file.source, others.length);
    const message = `${sources} were stored at the same place, ${path}: only one of them is there.`;
    const hint = 'Give one of them another target, or exclude it.';
    const error: Failure = { kind: 'rejected', status: undefined, message, hint };
    const { attempts, durationMs } =
      result.status === 'uploaded' ? result : { attempts: 0, durationMs: 0 };
    return { status: 'failed', file, attempts, durationMs, error };
  });
}
