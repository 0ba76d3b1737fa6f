import { AgentError } from '../agent/failure.ts';
import { type RetryPolicy, withRetries } from '../agent/retry.ts';
import type { StoredFile, Upload } from '../agent/uploader.ts';
import type { Debug } from '../text/debug.ts';
import { formatCount, formatNumber } from '../text/units.ts';
import type { Level } from './level.ts';
import type { PlannedFile } from './plan.ts';
import type { FileResult, TransferEvent } from './result.ts';

/** What attempts depend on. */
export interface AttemptOptions {
  readonly upload: Upload;
  readonly retry: RetryPolicy;
  readonly onEvent: (event: TransferEvent) => void;
  /** Milliseconds on a clock that does not jump. */
  readonly clock: () => number;
  readonly debug?: Debug | undefined;
}

/** A planned file on its way. */
export interface Entry {
  readonly file: PlannedFile;
  /** Its place in the plan, from 0. */
  readonly index: number;
  readonly attempts: number;
  /** How it ends if it is not sent again; undefined where it was not sent yet. */
  readonly failed?: FileResult;
}

/** What became of entries that were sent with one request. */
export interface Sent {
  readonly settled: readonly { readonly index: number; readonly result: FileResult }[];
  /** To be sent again, each alone. */
  readonly again: readonly Entry[];
  /** Whether the agent did not take them together. */
  readonly isRefused: boolean;
}

/** Sends entries with one request, and again until it succeeds, fails for good, or has had its attempts. */
export async function attempt(
  entries: readonly Entry[],
  { level, stop }: { readonly level: Level; readonly stop: AbortSignal },
  options: AttemptOptions,
): Promise<Sent> {
  const files = entries.map(({ file }) => file);
  const start = options.clock();
  const outcome = await withRetries(() => sendOnce(files, level, options), {
    ...options.retry,
    stop,
    onRetry: retry => options.onEvent({ kind: 'retry', files, retry }),
  });
  const durationMs = Math.round(options.clock() - start);
  const ended = entries.map(entry => ({ ...entry, attempts: entry.attempts + outcome.attempts }));
  if ('error' in outcome) {
    const { error } = outcome;
    const results = ended.map(entry => failed(entry, error, durationMs));
    // What fails several files at once may be the fault of one, or of their being together.
    if (ended.length === 1 || error.final) return { settled: results, again: [], isRefused: false };
    return { settled: [], again: results.map(toSendAgain), isRefused: true };
  }
  const { value: stored } = outcome;
  const left = ended.filter((_, index) => stored[index] === undefined);
  return {
    settled: ended.flatMap((entry, index) => uploaded(entry, stored[index], durationMs)),
    again: left.map(entry => toSendAgain(failed(entry, notSent(), durationMs))),
    isRefused: false,
  };
}

async function sendOnce(
  files: readonly PlannedFile[],
  level: Level,
  { upload, onEvent, debug }: AttemptOptions,
): Promise<readonly (StoredFile | undefined)[]> {
  const [first] = files;
  if (first === undefined) return [];
  const end = level.begin();
  try {
    const stored = await upload(files, bytes => {
      level.sent(bytes);
      onEvent({ kind: 'sent', file: first, bytes });
    });
    end();
    if (files.length > 1) debug?.('shared request', sharedLine(files, stored));
    return stored;
  } catch (error) {
    if (error instanceof AgentError) end(error);
    throw error;
  }
}

function sharedLine(files: readonly PlannedFile[], stored: readonly (StoredFile | undefined)[]): string {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const count = stored.filter(each => each !== undefined).length;
  const what = `${formatCount(files.length, 'file')}, ${formatCount(bytes, 'byte')}`;
  return `Shared request: ${what}; ${formatNumber(count)} stored, ${formatNumber(files.length - count)} not sent`;
}

// It may have been sent by an attempt before the last.
function notSent(): AgentError {
  return new AgentError('file-changed', 'The file changed while the batch was being sent.');
}

function failed({ index, file, attempts }: Entry, error: AgentError, durationMs: number) {
  return { index, result: { status: 'failed', file, attempts, durationMs, error } } as const;
}

/** An entry that failed with others, which is how it ends if it does not come to be sent alone. */
function toSendAgain({ index, result }: ReturnType<typeof failed>): Entry {
  return { index, file: result.file, attempts: result.attempts, failed: result };
}

function uploaded(entry: Entry, stored: StoredFile | undefined, durationMs: number): Sent['settled'] {
  if (stored === undefined) return [];
  const { index, file, attempts } = entry;
  return [{ index, result: { status: 'uploaded', file, attempts, durationMs, ...stored } }];
}
