import type { AgentClient } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import { type RetryPolicy, withRetries } from '../agent/retry.ts';
import type { SharedOutcome } from '../agent/upload-client.ts';
import type { Level } from './level.ts';
import type { FileResult, TransferEvent } from './result.ts';
import type { Entry } from './schedule.ts';

/** What attempts depend on. */
export interface AttemptOptions {
  readonly client: AgentClient;
  /** How many uploads may be in flight; told of each. */
  readonly level: Level;
  readonly retry: RetryPolicy;
  readonly onEvent: (event: TransferEvent) => void;
  /** Milliseconds on a clock that does not jump. */
  readonly clock: () => number;
}

/** What became of entries that were sent with one request. */
export interface Sent {
  readonly settled: readonly Settled[];
  /** To be sent again, each alone. */
  readonly again: readonly Entry[];
  /** Whether the agent did not take them together. */
  readonly refused: boolean;
}

/** How the entry at an index of the plan ended. */
export interface Settled {
  readonly index: number;
  readonly result: FileResult;
}

/** Sends entries with one request, and again until it succeeds, fails for good, or has had its attempts. */
export async function attempt(
  entries: readonly Entry[],
  stop: AbortSignal,
  options: AttemptOptions,
): Promise<Sent> {
  const start = options.clock();
  const outcome = await withRetries(() => sendOnce(entries, options), {
    ...options.retry,
    stop,
    onRetry: retry => options.onEvent({ kind: 'retry', files: entries.map(({ file }) => file), retry }),
  });
  const durationMs = Math.round(options.clock() - start);
  const ended = entries.map(entry => ({ ...entry, attempts: entry.attempts + outcome.attempts }));
  if ('error' in outcome) {
    const { error } = outcome;
    const results = ended.map(entry => failed(entry, error, durationMs));
    // What fails several files at once may be the fault of one, or of their being together.
    if (ended.length === 1 || error.final) return { settled: results, again: [], refused: false };
    return { settled: [], again: results.map(toSendAgain), refused: true };
  }
  const { value } = outcome;
  const left = ended.filter((_, index) => value[index] === 'not-sent');
  return {
    settled: ended.flatMap((entry, index) => uploaded(entry, value[index], durationMs)),
    again: left.map(entry => toSendAgain(failed(entry, notSent(), durationMs))),
    refused: false,
  };
}

async function sendOnce(
  entries: readonly Entry[],
  { client, level, onEvent }: AttemptOptions,
): Promise<readonly SharedOutcome[]> {
  const files = entries.map(({ file }) => file);
  const [first, ...others] = files;
  if (first === undefined) return [];
  const end = level.begin();
  const onSent = (bytes: number) => {
    level.sent(bytes);
    onEvent({ kind: 'sent', file: first, bytes });
  };
  try {
    const outcomes =
      others.length === 0 ? [await client.upload(first, onSent)] : await client.uploadTogether(files, onSent);
    end();
    if (others.length > 0) onEvent({ kind: 'shared', files, outcomes });
    return outcomes;
  } catch (error) {
    if (error instanceof AgentError) end(error);
    throw error;
  }
}

// It may have been sent by an attempt before the last.
function notSent(): AgentError {
  return new AgentError('file-changed', 'It changed, and could not be sent with the others any more.');
}

function failed({ index, file, attempts }: Entry, error: AgentError, durationMs: number) {
  return { index, result: { status: 'failed', file, attempts, durationMs, error } } as const;
}

/** An entry that failed with others, which is how it ends if it does not come to be sent alone. */
function toSendAgain({ index, result }: ReturnType<typeof failed>): Entry {
  const { file, attempts } = result;
  return { index, file, attempts, failed: result };
}

function uploaded(entry: Entry, outcome: SharedOutcome | undefined, durationMs: number): Settled[] {
  if (typeof outcome !== 'object') return [];
  const { index, file, attempts } = entry;
  return [{ index, result: { status: 'uploaded', file, attempts, durationMs, ...outcome } }];
}
