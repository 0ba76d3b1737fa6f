import { posix } from 'node:path';
import pLimit, { type LimitFunction } from 'p-limit';
import { AgentError } from '../agent/failure.ts';
import type { Inputs } from '../inputs/table.ts';
import { firstOf } from '../text/cut.ts';
import { type AttemptOptions, attempt, type Entry, type Sent, type Settled } from './attempt.ts';
import { type Level, type LevelChange, openLevel } from './level.ts';
import type { PlannedFile } from './plan.ts';
import { openQueue, type Queue } from './queue.ts';
import type { FileResult } from './result.ts';

export interface TransferOptions extends AttemptOptions, Pick<Inputs<'upload'>, 'concurrency' | 'filesPerRequest'> {
  /** Ends the transfer: nothing new is started. The client ends what is in flight. */
  readonly cancel: AbortSignal;
}

/**
 * Uploads every planned file and says how each ended, in plan order. As many requests are in flight as the level of
 * concurrency allows; large files take at most half of them as long as there are small ones. A failure after which nothing
 * else can succeed ends the transfer: requests in flight come to their end, the remaining files are not attempted.
 */
export async function transfer(files: readonly PlannedFile[], options: TransferOptions): Promise<FileResult[]> {
  const level = openLevel(options.concurrency, options.clock, adjust);
  const lanes = pLimit(level.now());
  const half = pLimit(halfOf(level.now()));
  const queue = openQueue(files, { perRequest: options.filesPerRequest, inOrder: level.highest === 1 });
  const ended = new AbortController();
  const stop = AbortSignal.any([options.cancel, ended.signal]);
  const results: FileResult[] = [];
  const workers: Promise<void>[] = [];
  const bugs: unknown[] = [];
  const note = (bug: unknown) => {
    bugs.push(bug);
    ended.abort(bug);
  };

  function settle({ index, result }: Settled): void {
    results[index] = result;
    if (result.status === 'failed' && result.error.final) ended.abort(result.error);
    options.onEvent({ kind: 'settled', result });
  }

  async function send(entries: readonly Entry[]): Promise<void> {
    const { again, isRefused } = await lanes(async () => {
      const sent = stop.aborted ? notSent(entries, stop) : await attempt(entries, { level, stop }, options);
      // Before the lane is free: what ends the transfer must keep the next from its start.
      for (const each of sent.settled) settle(each);
      return sent;
    });
    // Without one of its files, a trial shows little.
    if (isRefused || (entries === queue.trial && again.length > 0)) queue.stopSharing();
    if (isRefused) options.onEvent({ kind: 'refused', files: entries.map(({ file }) => file) });
    await Promise.all(again.map(entry => send([entry]).catch(note)));
  }

  function startWorkers(): void {
    while (workers.length < level.now()) workers.push(work(queue, { level, half }, send).catch(note));
  }

  function adjust(change: LevelChange): void {
    lanes.concurrency = change.to;
    half.concurrency = halfOf(change.to);
    startWorkers();
    options.debug?.('level change', changeLine(change));
  }

  if (queue.trial.length > 0) await send(queue.trial);
  startWorkers();
  // There may come more of them meanwhile.
  for (const worker of workers) await worker;
  if (bugs.length > 0) throw bugs[0];
  return lostRemoved(results);
}

/** The results, with files failed that the agent has stored at one place: all but one of them are lost. */
function lostRemoved(results: readonly FileResult[]): FileResult[] {
  const byPath = Map.groupBy(results, result => ('path' in result && posix.isAbsolute(result.path) ? result.path : ''));
  return results.map(result => {
    const { path } = { path: '', ...result };
    const same = byPath.get(path) ?? [];
    if (path === '' || same.length < 2 || result.status !== 'uploaded') return result;
    const sources = firstOf(same, MAX_NAMED, { show: ({ file }) => file.source, more: rest => `${rest} more` });
    const message = `${sources.join(' and ')} were stored at the same place, ${path}: only one of them is there.`;
    const { file, attempts, durationMs } = result;
    return { status: 'failed', file, attempts, durationMs, error: new AgentError('overwritten', message) };
  });
}

const MAX_NAMED = 10;

/** Sends what is next in the queue, one batch after the other, until nothing is left. */
async function work(
  queue: Queue,
  { level, half }: { readonly level: Level; readonly half: LimitFunction },
  send: (entries: readonly Entry[]) => Promise<void>,
): Promise<void> {
  for (;;) {
    if (queue.isSmallDone()) half.concurrency = level.highest;
    const batch = queue.next(half.activeCount < half.concurrency);
    if (batch === undefined) return;
    await (batch.isLarge ? half(() => send(batch.entries)) : send(batch.entries));
  }
}

function halfOf(level: number): number {
  return Math.max(1, Math.floor(level / 2));
}

/** How entries end that come up when the transfer has ended. */
function notSent(entries: readonly Entry[], { reason }: AbortSignal): Sent {
  const why = reason instanceof AgentError ? `the transfer had ended: ${reason.message}` : 'the job was cancelled';
  const settled = entries.map(
    ({ index, file, failed }): Settled => ({ index, result: failed ?? { status: 'not-attempted', file, reason: why } }),
  );
  return { settled, again: [], isRefused: false };
}

function changeLine({ from, to, error }: LevelChange): string {
  const sign = error?.status === undefined ? error?.kind : `status ${error.status}`;
  const why = error === undefined ? 'the transfer became faster' : `a sign of overload, ${sign}`;
  return `Parallel uploads: ${from} → ${to}, ${why}`;
}
