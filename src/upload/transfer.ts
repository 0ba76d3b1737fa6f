import pLimit from 'p-limit';
import type { AgentClient } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import { type Retry, type RetryPolicy, withRetries } from '../agent/retry.ts';
import type { PlannedFile } from './plan.ts';

/** How one planned file ended. Every planned file has exactly one. */
export type FileResult =
  | {
      readonly status: 'uploaded';
      readonly file: PlannedFile;
      readonly attempts: number;
      readonly durationMs: number;
      readonly path: string;
      readonly size: number;
    }
  | {
      readonly status: 'failed';
      readonly file: PlannedFile;
      readonly attempts: number;
      readonly durationMs: number;
      readonly error: AgentError;
    }
  | { readonly status: 'skipped'; readonly file: PlannedFile; readonly reason: string }
  | { readonly status: 'not-attempted'; readonly file: PlannedFile; readonly reason: string };

/** What happens during a transfer, for whoever wants to show it. A retry without a file is one of the stats. */
export type TransferEvent =
  | { readonly kind: 'sent'; readonly file: PlannedFile; readonly bytes: number }
  | { readonly kind: 'retry'; readonly file: PlannedFile | undefined; readonly retry: Retry }
  | { readonly kind: 'settled'; readonly result: FileResult };

export interface TransferOptions {
  readonly client: AgentClient;
  /** Uploads in flight at once. */
  readonly concurrency: number;
  readonly retry: RetryPolicy;
  /** Ends the transfer: nothing new is started. The client ends what is in flight. */
  readonly cancel: AbortSignal;
  readonly onEvent: (event: TransferEvent) => void;
  /** Milliseconds on a clock that does not jump. */
  readonly clock: () => number;
}

/**
 * Uploads every planned file and says how each ended, in plan order. A failure after which nothing else can succeed ends
 * the transfer: requests in flight come to their end, the remaining files are not attempted.
 */
export async function transfer(
  files: readonly PlannedFile[],
  options: TransferOptions,
): Promise<FileResult[]> {
  const limit = pLimit(options.concurrency);
  const ended = new AbortController();
  const stop = AbortSignal.any([options.cancel, ended.signal]);

  async function upload(file: PlannedFile): Promise<FileResult> {
    if (stop.aborted) return { status: 'not-attempted', file, reason: reasonOf(stop) };
    const result = await attempt(file, stop, options);
    if (result.status === 'failed' && result.error.final) ended.abort(result.error);
    return result;
  }

  const settle = async (file: PlannedFile) => {
    try {
      const result = await upload(file);
      options.onEvent({ kind: 'settled', result });
      return result;
    } catch (bug) {
      ended.abort(bug);
      throw bug;
    }
  };
  const results: FileResult[] = [];
  const queue = files.entries();
  // Each feeder has one file at a time in the hands of the limit. All files at once would cost 2 KiB of memory each.
  const feed = async () => {
    for (const [index, file] of queue) results[index] = await limit(settle, file);
  };
  const feeders = await Promise.allSettled(Array.from({ length: options.concurrency }, feed));
  for (const feeder of feeders) if (feeder.status === 'rejected') throw feeder.reason;
  return results;
}

async function attempt(file: PlannedFile, stop: AbortSignal, options: TransferOptions): Promise<FileResult> {
  const start = options.clock();
  const outcome = await withRetries(
    () => options.client.upload(file, bytes => options.onEvent({ kind: 'sent', file, bytes })),
    {
      ...options.retry,
      stop,
      onRetry: retry => options.onEvent({ kind: 'retry', file, retry }),
    },
  );
  const common = { file, attempts: outcome.attempts, durationMs: Math.round(options.clock() - start) };
  if ('error' in outcome) return { status: 'failed', ...common, error: outcome.error };
  return { status: 'uploaded', ...common, ...outcome.value };
}

function reasonOf(stop: AbortSignal): string {
  return stop.reason instanceof AgentError
    ? `the transfer had ended: ${stop.reason.message}`
    : 'the job was cancelled';
}
