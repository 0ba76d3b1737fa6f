import { AgentError } from '../agent/failure.ts';
import { type RetryPolicy, withRetries } from '../agent/retry.ts';
import type { StoredFile, Upload } from '../agent/uploader.ts';
import type { Debug } from '../text/debug.ts';
import { formatCount, formatNumber, totalSize } from '../text/units.ts';
import type { Level } from './level.ts';
import type { PlannedFile } from './plan.ts';
import type { FileResult, TransferEvent } from './result.ts';

/** What attempts depend on. */
export interface AttemptOptions extends RetryPolicy {
  readonly upload: Upload;
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
  /** How it ends if it is not sent again, after failing with others; undefined where it was not sent yet. */
  readonly failed?: Extract<FileResult, { status: 'failed' }>;
}

/** How an entry ended for good. */
export interface Settled {
  readonly index: number;
  readonly result: FileResult;
}

/** What became of entries that were sent with one request. */
export interface Sent {
  readonly settled: readonly Settled[];
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
  const { clock, onEvent } = options;
  const start = clock();
  const outcome = await withRetries(() => sendOnce(files, level, options), {
    ...options,
    stop,
    onRetry: retry => onEvent({ kind: 'retry', files, retry }),
  });
  const durationMs = Math.round(clock() - start);
  const stored = 'value' in outcome ? outcome.value : [];
  const error = 'error' in outcome ? outcome.error : undefined;
  // What fails several files at once may be the fault of one, or of their being together.
  const isRefused = error !== undefined && entries.length > 1 && !error.final;
  const settled: Settled[] = [];
  const again: Entry[] = [];
  for (const [place, { file, index, failed }] of entries.entries()) {
    const ended = { file, attempts: (failed?.attempts ?? 0) + outcome.attempts, durationMs };
    const success = stored[place];
    if (success !== undefined) {
      settled.push({ index, result: { status: 'uploaded', ...ended, ...success } });
      continue;
    }
    const result = { status: 'failed', ...ended, error: error ?? notSent() } as const;
    if (error === undefined || isRefused) again.push({ file, index, failed: result });
    else settled.push({ index, result });
  }
  return { settled, again, isRefused };
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
  const count = stored.filter(each => each !== undefined).length;
  const what = `${formatCount(files.length, 'file')}, ${formatCount(totalSize(files), 'byte')}`;
  return `Shared request: ${what}; ${formatNumber(count)} stored, ${formatNumber(files.length - count)} not sent`;
}

// It may have been sent by an attempt before the last.
function notSent(): AgentError {
  return new AgentError('file-changed', 'The file changed while the batch was being sent.');
}
