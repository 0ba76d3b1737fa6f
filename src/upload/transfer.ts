import { AgentError } from '../agent/failure.ts';
import { type AttemptOptions, attempt, type Settled } from './attempt.ts';
import { inLanes } from './lanes.ts';
import type { PlannedFile } from './plan.ts';
import type { FileResult } from './result.ts';
import { type Entry, openSchedule } from './schedule.ts';

export interface TransferOptions extends AttemptOptions {
  /** How many small files may share a request; with more than 1, no query may say where a file goes. */
  readonly filesPerRequest: number;
  /** Ends the transfer: nothing new is started. The client ends what is in flight. */
  readonly cancel: AbortSignal;
}

/**
 * Uploads every planned file and says how each ended, in plan order. A failure after which nothing else can succeed ends
 * the transfer: requests in flight come to their end, the remaining files are not attempted.
 */
export async function transfer(
  files: readonly PlannedFile[],
  options: TransferOptions,
): Promise<FileResult[]> {
  const { level, cancel, onEvent } = options;
  const schedule = openSchedule(files, { perRequest: options.filesPerRequest, lanes: level.now() });
  const ended = new AbortController();
  const stop = AbortSignal.any([cancel, ended.signal]);
  const results: FileResult[] = [];

  function settle({ index, result }: Settled): void {
    results[index] = result;
    if (result.status === 'failed' && result.error.final) ended.abort(result.error);
    onEvent({ kind: 'settled', result });
  }

  async function send(entries: readonly Entry[]): Promise<void> {
    if (stop.aborted) {
      const reason = reasonOf(stop);
      for (const { index, file, failed } of entries)
        settle({ index, result: failed ?? { status: 'not-attempted', file, reason } });
      schedule.ended(entries, { again: [], refused: false });
      return;
    }
    const { settled, ...rest } = await attempt(entries, stop, options);
    for (const each of settled) settle(each);
    schedule.ended(entries, rest);
    if (rest.refused) onEvent({ kind: 'refused', files: entries.map(({ file }) => file) });
  }

  const sendOrEnd = (entries: readonly Entry[]) =>
    send(entries).catch((bug: unknown) => {
      ended.abort(bug);
      throw bug;
    });
  await inLanes(level.now, () => schedule.next(level.now()), sendOrEnd);
  return results;
}

function reasonOf(stop: AbortSignal): string {
  return stop.reason instanceof AgentError
    ? `the transfer had ended: ${stop.reason.message}`
    : 'the job was cancelled';
}
