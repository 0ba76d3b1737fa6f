import type { Inputs } from '../inputs/table.ts';
import { judgementLine } from '../report/figures.ts';
import { shardLine } from '../report/report.ts';
import type { Observer } from '../run/surroundings.ts';
import type { Wait } from '../stats/sample.ts';
import { formatBytes, formatCount, formatDuration, formatNumber, formatRate, totalSize } from '../text/units.ts';
import type { PlannedFile } from '../upload/plan.ts';
import type { TransferEvent } from '../upload/result.ts';
import type { Selection } from '../upload/selection.ts';
import { annotate, logLine } from './log.ts';

// The first line after 5 s, each further one after half as long again: six hours have twenty lines, which fit a screen.
const INTERVAL_MS = 5000;
const SLOWER = 1.5;

// With everything failing there are thousands; the report file lists each.
const MAX_RETRY_LINES = 20;
const NO_MORE_RETRY_LINES = 'Further failed attempts are not shown here; the report file has the number for each file.';

/** What a transfer has done so far. */
export interface Progress {
  /** Files that arrived. */
  readonly files: number;
  readonly failed: number;
  /** Bytes of the files that failed, which need no more time. */
  readonly failedBytes: number;
  /** Bytes of those that arrived and of what is on its way. */
  readonly bytes: number;
  readonly totalFiles: number;
  readonly totalBytes: number;
  readonly elapsedMs: number;
}

/** Logs the plan, the progress now and then, and retries as they happen. `stop` ends it. */
export function watchTransfer(): { readonly observer: Observer; readonly stop: () => void } {
  const started = performance.now();
  const tally = newTally();
  let size: Pick<Progress, 'totalFiles' | 'totalBytes'> | undefined;
  let retries = 0;
  let refused: string | undefined;
  let dueMs = 0;
  const timer = setInterval(() => {
    const elapsedMs = performance.now() - started;
    if (size === undefined || elapsedMs < dueMs) return;
    dueMs = elapsedMs * SLOWER;
    logLine(progressLine({ ...tally.now(), ...size, elapsedMs }));
  }, INTERVAL_MS);
  timer.unref();
  const showRetry = (retry: Extract<TransferEvent, { kind: 'retry' }>) => {
    retries += 1;
    if (retries <= MAX_RETRY_LINES) logLine(retryLine(retry));
    else if (retries === MAX_RETRY_LINES + 1) logLine(NO_MORE_RETRY_LINES);
  };
  const observer: Observer = {
    planned(selection, inputs) {
      const { due } = selection;
      size = { totalFiles: due.length, totalBytes: totalSize(due) };
      // That nothing is to be uploaded, the verdict says.
      if (due.length > 0) logLine(announcement(selection, inputs, size.totalBytes));
    },
    waiting: ({ sandboxId, waitTimeout }) =>
      logLine(`Waiting up to ${formatDuration(waitTimeout)} for sandbox ${sandboxId} to be ready`),
    waited: waitLog(),
    event(event) {
      tally.add(event);
      if (event.kind === 'retry') showRetry(event);
      if (event.kind === 'refused') refused = refusedLine(event.files.length);
      // Where nothing arrives, being together is not what kept them out.
      if (event.kind !== 'settled' || event.result.status !== 'uploaded' || refused === undefined) return;
      annotate.warning([refused]);
      refused = undefined;
    },
  };
  return { observer, stop: () => clearInterval(timer) };
}

const WAIT_INTERVAL_MS = 15_000;

/** Logs every 15 s what a wait waits for, at once what the sandbox does not report at all, and at the end how long it took. */
export function waitLog(log = logLine): (wait: Wait) => void {
  let dueMs = WAIT_INTERVAL_MS;
  let isFirst = true;
  return ({ held, waitedMs, missing, error }) => {
    const took = formatDuration(waitedMs);
    if (held) return log(`The sandbox was ready after ${took}`);
    const unknown = isFirst ? missing.filter(({ holds }) => holds === undefined) : [];
    isFirst &&= error !== undefined;
    const isDue = waitedMs >= dueMs;
    if (isDue) dueMs = waitedMs + WAIT_INTERVAL_MS;
    const lines = isDue
      ? [...missing.map(judgementLine), ...(error === undefined ? [] : [error.message])]
      : unknown.map(judgementLine);
    if (lines.length > 0) log(`Waited ${took}: ${lines.join('; ')}`);
  };
}

function announcement(
  { due, share, unchanged }: Selection,
  { dryRun, sandboxId, baseUrl }: Inputs<'upload'>,
  bytes: number,
): string {
  const doing = dryRun ? 'Planning the upload of' : 'Uploading';
  const which = share === undefined ? '' : `, ${shardLine(share)}`;
  const same = unchanged.size === 0 ? '' : `, ${formatNumber(unchanged.size)} unchanged`;
  return `${doing} ${formatCount(due.length, 'file')} (${formatBytes(bytes)}) to sandbox ${sandboxId} at ${baseUrl}${which}${same}`;
}

/** Files, bytes, percent, rate and the time left. */
export function progressLine(progress: Progress): string {
  const { files, failed, totalFiles, totalBytes, elapsedMs } = progress;
  // The frame round a file counts as sent too, so the sum can exceed the files'.
  const sent = Math.min(progress.bytes, totalBytes);
  const share = totalBytes === 0 ? files / Math.max(totalFiles, 1) : sent / totalBytes;
  const over = totalBytes === 0 ? share : Math.min((sent + progress.failedBytes) / totalBytes, 1);
  const left = share > 0 ? `, ${formatDuration((elapsedMs * (1 - over)) / over)} left` : '';
  const counts = `${formatNumber(files)} of ${formatCount(totalFiles, 'file')}${failed > 0 ? `, ${formatNumber(failed)} failed` : ''}`;
  return `${counts}, ${formatBytes(sent)} of ${formatBytes(totalBytes)} (${Math.floor(share * 100)} %), ${formatRate(sent, elapsedMs)}${left}`;
}

/** Adds up what happens; what an attempt sent that failed is taken off again. */
function newTally() {
  const onTheWay = new Map<PlannedFile, number>();
  const done = { files: 0, failed: 0, failedBytes: 0, bytes: 0 };
  return {
    add(event: TransferEvent) {
      if (event.kind === 'sent') onTheWay.set(event.file, (onTheWay.get(event.file) ?? 0) + event.bytes);
      else if (event.kind !== 'settled') for (const file of event.files) onTheWay.delete(file);
      else {
        onTheWay.delete(event.result.file);
        if (event.result.status === 'failed') {
          done.failed += 1;
          done.failedBytes += event.result.file.size;
        }
        if (event.result.status !== 'uploaded') return;
        done.files += 1;
        done.bytes += event.result.size;
      }
    },
    now: () => ({ ...done, bytes: [...onTheWay.values()].reduce((sum, bytes) => sum + bytes, done.bytes) }),
  };
}

function retryLine({ files, retry }: Extract<TransferEvent, { kind: 'retry' }>): string {
  const { attempt, delayMs, error } = retry;
  const [first, ...others] = files;
  const more = others.length === 0 ? '' : ` and ${formatNumber(others.length)} more`;
  return `Attempt ${attempt} for ${first?.source ?? 'the stats'}${more} failed, next in ${formatDuration(delayMs)}: ${error.message}`;
}

function refusedLine(count: number): string {
  return `The agent did not store all ${formatNumber(count)} files of one request. From now on, each is sent alone.`;
}
