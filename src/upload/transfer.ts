import pLimit, { type LimitFunction } from 'p-limit';
import { AgentError, type Failure, failureOf, isFatal } from '../agent/failure.ts';
import { type Retry, type RetryPolicy, withRetries } from '../agent/retry.ts';
import type { StoredFile, Upload } from '../agent/upload.ts';
import type { PlannedFile } from '../files/plan.ts';
import { abbreviate } from '../text/format.ts';
import { batchesOf } from './batches.ts';

/** How one planned file ended. Every planned file has exactly one result. */
export type FileResult =
  | (Sent & StoredFile & { readonly status: 'uploaded' })
  | (Sent & { readonly status: 'failed'; readonly error: Failure })
  /** Not sent, since the sandbox has it already. */
  | (KnownFile & { readonly status: 'unchanged'; readonly file: PlannedFile })
  | {
      readonly status: 'skipped' | 'not-attempted';
      readonly file: PlannedFile;
      readonly reason: string;
      /** Only of a dry run that was asked for checksums. */
      readonly sha256?: string;
    };

interface Sent {
  readonly file: PlannedFile;
  readonly attempts: number;
  readonly durationMs: number;
}

/** A file that the sandbox has already. */
export interface KnownFile {
  /** The path as the agent returned it. */
  readonly path: string;
  readonly sha256: string;
}

/** What happens during a transfer, for whoever shows it. */
export type TransferEvent =
  /** Bytes of a request have left. */
  | { readonly kind: 'sent'; readonly bytes: number }
  /** A request failed and will be repeated; `files` is empty for a request for the stats. */
  | { readonly kind: 'retry'; readonly files: readonly PlannedFile[]; readonly retry: Retry }
  /** A request failed for good. */
  | { readonly kind: 'failed'; readonly files: readonly PlannedFile[]; readonly error: AgentError }
  | {
      readonly kind: 'concurrency';
      readonly from: number;
      readonly to: number;
      readonly reason: string;
    }
  | { readonly kind: 'settled'; readonly result: FileResult };

export interface TransferOptions extends RetryPolicy {
  readonly upload: Upload;
  /** The most requests at once. */
  readonly concurrency: number;
  readonly filesPerRequest: number;
  readonly unchanged: ReadonlyMap<PlannedFile, KnownFile>;
  /** Ends the transfer: nothing new is started. The client ends what is in flight. */
  readonly cancel: AbortSignal;
  /** Milliseconds on a clock that does not jump. */
  readonly clock: () => number;
  readonly onEvent: (event: TransferEvent) => void;
}

/** Uploads every file that has changed. Returns one result for each file, in plan order. */
export async function transfer(
  files: readonly PlannedFile[],
  options: TransferOptions,
): Promise<FileResult[]> {
  const { concurrency, unchanged, cancel } = options;
  const ending = new AbortController();
  const stop = AbortSignal.any([cancel, ending.signal]);
  const end = (reason: string) => ending.abort(reason);
  const requests = pLimit(concurrency);
  const results = new Map<PlannedFile, FileResult>();
  const state: TransferState = { ...options, stop, end, requests, results, lostInARow: 0 };

  const changed = files.filter(file => !unchanged.has(file));
  // A batch keeps its lane while it waits to be retried: a dead sandbox meets 24 files, not all.
  const lanes = pLimit(concurrency);
  const send = (batch: readonly PlannedFile[]) => lanes(() => sendBatch(batch, state));
  try {
    await Promise.all(batchesOf(changed, options).map(send));
  } finally {
    // Promise.all throws the first bug. Nothing more is sent after it.
    end('the transfer was over');
  }

  const reason = reasonToStop(state);
  const all = files.map((file): FileResult => {
    const known = unchanged.get(file);
    if (known !== undefined) return { status: 'unchanged', file, ...known };
    return results.get(file) ?? { status: 'not-attempted', file, reason };
  });
  return failOverwritten(all);
}

interface TransferState extends TransferOptions {
  /** Limits what is in flight. Its concurrency only ever falls. */
  readonly requests: LimitFunction;
  readonly results: Map<PlannedFile, FileResult>;
  /** Nothing new is started once it aborts. */
  readonly stop: AbortSignal;
  readonly end: (reason: string) => void;
  /** Requests that used up their attempts since something last arrived. */
  lostInARow: number;
}

/** Sends a batch with one request, and its retries. Its files share its fate. */
async function sendBatch(files: readonly PlannedFile[], state: TransferState): Promise<void> {
  const { stop, clock, onEvent } = state;
  if (stop.aborted) return;
  const begunAt = clock();
  const outcome = await withRetries(() => sendOnce(files, state), {
    ...state,
    onRetry: retry => onEvent({ kind: 'retry', files, retry }),
  });
  const sent = { attempts: outcome.attempts, durationMs: Math.round(clock() - begunAt) };
  if ('error' in outcome) {
    const error = recordFailure(outcome.error, files, state);
    for (const file of files) settle({ status: 'failed', file, ...sent, error }, state);
    return;
  }
  state.lostInARow = 0;
  for (const [file, stored] of outcome.value) {
    // A file of a batch that cannot be read fails alone.
    if (stored instanceof AgentError) {
      const error = recordFailure(stored, [file], state);
      settle({ status: 'failed', file, ...sent, error }, state);
    } else settle({ status: 'uploaded', file, ...sent, ...stored }, state);
  }
}

function sendOnce(files: readonly PlannedFile[], state: TransferState): ReturnType<Upload> {
  const { requests, upload, stop, onEvent } = state;
  return requests(async () => {
    // It may have waited here, since other requests were in flight.
    if (stop.aborted) throw new AgentError('cancelled', `It was not sent: ${reasonToStop(state)}.`);
    const before = requests.concurrency;
    try {
      return await upload(files, bytes => onEvent({ kind: 'sent', bytes }));
    } catch (error) {
      if (error instanceof AgentError && isOverload(error)) slowDown(before, error, state);
      throw error;
    }
  });
}

function isOverload({ status }: AgentError): boolean {
  return status === 429 || status === 503;
}

/** Halves the concurrency, once for all requests that began at the same one. */
function slowDown(before: number, error: AgentError, { requests, onEvent }: TransferState): void {
  const to = Math.floor(before / 2);
  if (to === 0 || requests.concurrency !== before) return;
  requests.concurrency = to;
  onEvent({ kind: 'concurrency', from: before, to, reason: error.message });
}

// Simple on purpose: it may leave good files unsent, but the job has failed already.
const MAX_LOST_IN_A_ROW = 3;

/** Ends the transfer if the other files have no chance either. */
function recordFailure(
  error: AgentError,
  files: readonly PlannedFile[],
  state: TransferState,
): Failure {
  const { end, onEvent } = state;
  onEvent({ kind: 'failed', files, error });
  const isBatch = files.length > 1;
  // An agent that drops folders may have stored a part of the batch over other files.
  const mayBeMisplaced = isBatch && (error.kind === 'rejected' || error.kind === 'bad-answer');
  if (isFatal(error) || mayBeMisplaced) end(`the transfer had ended: ${error.message}`);
  // A file that changed says nothing about the sandbox.
  if (error.isRetryable && error.kind !== 'file-changed') state.lostInARow += 1;
  if (state.lostInARow === MAX_LOST_IN_A_ROW)
    end(`${MAX_LOST_IN_A_ROW} requests in a row had failed, the last one so: ${error.message}`);
  const advice = isBatch && !isFatal(error) ? ' files-per-request: 1 sends each file alone.' : '';
  return { ...failureOf(error), hint: `${error.hint}${advice}` };
}

function settle(result: FileResult, { results, onEvent }: TransferState): void {
  results.set(result.file, result);
  onEvent({ kind: 'settled', result });
}

function reasonToStop({ cancel, stop }: TransferState): string {
  return cancel.aborted ? 'the job was cancelled' : String(stop.reason);
}

const MAX_NAMED = 10;

/** Fails files that the agent stored at one place, also in an earlier run: only one is there. */
function failOverwritten(results: readonly FileResult[]): FileResult[] {
  const byPath = Map.groupBy(results, result => ('path' in result ? result.path : ''));
  return results.map((result): FileResult => {
    const same = 'path' in result ? (byPath.get(result.path) ?? []) : [];
    if (!('path' in result) || same.length < 2) return result;
    const sources = abbreviate(same, MAX_NAMED, {
      show: ({ file }) => file.source,
      more: rest => `${rest} more`,
    });
    const message = `${sources.join(' and ')} were stored at the same place, ${result.path}: only one of them is there.`;
    const hint = 'Give one of them another target, or exclude it.';
    const error = failureOf(new AgentError('rejected', message, { hint }));
    const { attempts, durationMs } =
      result.status === 'uploaded' ? result : { attempts: 0, durationMs: 0 };
    return { status: 'failed', file: result.file, attempts, durationMs, error };
  });
}
