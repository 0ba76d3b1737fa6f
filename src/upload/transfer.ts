import pLimit, { type LimitFunction } from 'p-limit';
import { batchesOf } from '../agent/batches.ts';
import { AgentError, type Failure, failureOf, isFatal } from '../agent/failure.ts';
import { type Retry, type RetryPolicy, withRetries } from '../agent/retry.ts';
import type { StoredFile, Upload } from '../agent/upload.ts';
import type { PlannedFile } from '../files/plan.ts';
import { abbreviate } from '../text/format.ts';

/** Every planned file has exactly one result. */
export type FileResult =
  | (Attempts & StoredFile & { readonly status: 'uploaded'; readonly file: PlannedFile })
  | (Attempts & { readonly status: 'failed'; readonly file: PlannedFile; readonly error: Failure })
  | (KnownFile & { readonly status: 'unchanged'; readonly file: PlannedFile })
  | {
      readonly status: 'skipped' | 'not-attempted';
      readonly file: PlannedFile;
      readonly reason: string;
      /** Set by dry runs with `checksums: true`. */
      readonly sha256?: string;
    };

interface Attempts {
  readonly attempts: number;
  readonly durationMs: number;
}

export interface KnownFile {
  readonly path: string;
  readonly sha256: string;
}

export type TransferEvent =
  | { readonly kind: 'sent'; readonly bytes: number }
  /** `files` is empty for a stats request. */
  | { readonly kind: 'retry'; readonly files: readonly PlannedFile[]; readonly retry: Retry }
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
  readonly concurrency: number;
  readonly filesPerRequest: number;
  readonly unchanged: ReadonlyMap<PlannedFile, KnownFile>;
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
  const { concurrency, unchanged, cancel } = options;
  // `batches` includes those waiting for a retry, so a dead sandbox gets 24 batches and not all.
  // `requests` only counts those in flight, and is halved while the sandbox is busy.
  const batches = pLimit(concurrency);
  const requests = pLimit(concurrency);
  const ending = new AbortController();
  const stop = AbortSignal.any([cancel, ending.signal]);
  const results = new Map<PlannedFile, FileResult>();
  const state: TransferState = { ...options, requests, ending, stop, results, lostInARow: 0 };

  const changed = files.filter(file => !unchanged.has(file));
  const sending = batchesOf(changed, options).map(batch => batches(() => send(batch, state)));
  // If a bug throws, send nothing more.
  await Promise.all(sending).finally(() => ending.abort('the transfer is over'));

  const all = inPlanOrder(files, unchanged, file => {
    return results.get(file) ?? { status: 'not-attempted', file, reason: reasonOf(stop) };
  });
  return failOverwritten(all);
}

/** Returns one result for each file; `resultOf` gives those of changed files. */
export function inPlanOrder(
  files: readonly PlannedFile[],
  unchanged: TransferOptions['unchanged'],
  resultOf: (file: PlannedFile) => FileResult,
): FileResult[] {
  return files.map(file => {
    const known = unchanged.get(file);
    return known === undefined ? resultOf(file) : { status: 'unchanged', file, ...known };
  });
}

interface TransferState extends TransferOptions {
  readonly requests: LimitFunction;
  readonly results: Map<PlannedFile, FileResult>;
  /** Aborts with a reason once sending more is pointless. */
  readonly ending: AbortController;
  readonly stop: AbortSignal;
  /** Requests that used up their attempts since the last success. */
  lostInARow: number;
}

async function send(batch: readonly PlannedFile[], state: TransferState): Promise<void> {
  const { stop, clock, onEvent } = state;
  if (stop.aborted) return;
  const begunAt = clock();
  const outcome = await withRetries(() => attempt(batch, state), {
    ...state,
    onRetry: retry => onEvent({ kind: 'retry', files: batch, retry }),
  });
  const sent = { attempts: outcome.attempts, durationMs: Math.round(clock() - begunAt) };
  if ('error' in outcome) return fail(batch, outcome.error, sent, state);
  state.lostInARow = 0;
  for (const [file, stored] of outcome.value) {
    // An unreadable file does not fail its batch.
    if (stored instanceof AgentError) fail([file], stored, sent, state);
    else settle({ status: 'uploaded', file, ...sent, ...stored }, state);
  }
}

function attempt(batch: readonly PlannedFile[], state: TransferState): ReturnType<Upload> {
  const { requests, upload, stop, onEvent } = state;
  return requests(async () => {
    // The transfer may have ended while this request was queued.
    if (stop.aborted) throw new AgentError('cancelled', `It was not sent: ${reasonOf(stop)}.`);
    const before = requests.concurrency;
    try {
      return await upload(batch, bytes => onEvent({ kind: 'sent', bytes }));
    } catch (error) {
      if (error instanceof AgentError && isOverload(error)) slowDown(before, error, state);
      throw error;
    }
  });
}

function isOverload({ status }: AgentError): boolean {
  return status === 429 || status === 503;
}

// Halves the concurrency once, even if several requests from the same level fail.
function slowDown(before: number, error: AgentError, { requests, onEvent }: TransferState): void {
  const to = Math.floor(before / 2);
  if (to === 0 || requests.concurrency !== before) return;
  requests.concurrency = to;
  onEvent({ kind: 'concurrency', from: before, to, reason: error.message });
}

function fail(
  files: readonly PlannedFile[],
  error: AgentError,
  sent: Attempts,
  state: TransferState,
): void {
  state.onEvent({ kind: 'failed', files, error });
  endIfHopeless(files, error, state);
  const isBatch = files.length > 1;
  const advice = isBatch && !isFatal(error) ? ' files-per-request: 1 sends each file alone.' : '';
  const failure = { ...failureOf(error), hint: `${error.hint}${advice}` };
  for (const file of files) settle({ status: 'failed', file, ...sent, error: failure }, state);
}

// This may leave good files unsent, but by then the job has failed anyway.
const MAX_LOST_IN_A_ROW = 3;

function endIfHopeless(
  files: readonly PlannedFile[],
  error: AgentError,
  state: TransferState,
): void {
  const { ending } = state;
  // An agent that drops folders may have written part of the batch over other files.
  const mayBeMisplaced =
    files.length > 1 && (error.kind === 'rejected' || error.kind === 'bad-answer');
  if (isFatal(error) || mayBeMisplaced) ending.abort(`the transfer had ended: ${error.message}`);
  // A file that changed says nothing about the sandbox.
  if (error.isRetryable && error.kind !== 'file-changed') state.lostInARow += 1;
  if (state.lostInARow < MAX_LOST_IN_A_ROW) return;
  ending.abort(
    `${MAX_LOST_IN_A_ROW} requests in a row had failed, the last one so: ${error.message}`,
  );
}

function settle(result: FileResult, { results, onEvent }: TransferState): void {
  results.set(result.file, result);
  onEvent({ kind: 'settled', result });
}

function reasonOf(stop: AbortSignal): string {
  return typeof stop.reason === 'string' ? stop.reason : 'the job was cancelled';
}

const MAX_NAMED = 10;

// The agent stored these files at the same path, so only one of them survives.
function failOverwritten(results: readonly FileResult[]): FileResult[] {
  const byPath = Map.groupBy(results, result => ('path' in result ? result.path : ''));
  return results.map((result): FileResult => {
    const same = 'path' in result ? (byPath.get(result.path) ?? []) : [];
    if (!('path' in result) || same.length < 2) return result;
    const sources = abbreviate(
      same.map(({ file }) => file.source),
      MAX_NAMED,
      count => `${count} more`,
    );
    const message = `${sources.join(' and ')} were stored at the same place, ${result.path}: only one of them is there.`;
    const hint = 'Give one of them another target, or exclude it.';
    const error = failureOf(new AgentError('rejected', message, { hint }));
    const { attempts, durationMs } =
      result.status === 'uploaded' ? result : { attempts: 0, durationMs: 0 };
    return { status: 'failed', file: result.file, attempts, durationMs, error };
  });
}
