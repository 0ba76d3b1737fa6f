import type { PlannedFile } from '../files/plan.ts';
import {
  andMore,
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatRate,
  totalSize,
} from '../text/format.ts';
import type { FileResult, TransferEvent } from '../upload/result.ts';
import { logLine } from './log.ts';

// The first line after 5 s, each further one after half as long again: six hours make twenty lines.
const INTERVAL_MS = 5000;
const SLOWER = 1.5;

/** Logs the progress of a transfer, less and less often, until `stop` is called. */
export function showProgress(files: readonly PlannedFile[]) {
  const tally = newTally(files);
  let dueMs = 0;
  const timer = setInterval(() => {
    const progress = progressOf(tally);
    if (progress.elapsedMs < dueMs) return;
    dueMs = progress.elapsedMs * SLOWER;
    logLine(progressLine(progress));
  }, INTERVAL_MS);
  timer.unref();
  return { add: (event: TransferEvent) => addTo(tally, event), stop: () => clearInterval(timer) };
}

/** What a transfer has done so far. */
export interface Progress {
  readonly uploaded: number;
  readonly failed: number;
  /** Of uploaded files, and of what is on its way. */
  readonly bytes: number;
  /** Of failed files, which need no more time. */
  readonly failedBytes: number;
  readonly totalFiles: number;
  readonly totalBytes: number;
  readonly elapsedMs: number;
  /** How long nothing has been sent or answered. */
  readonly stalledMs: number;
  /** Files of which something was sent, without an answer yet. */
  readonly inFlight: readonly string[];
}

// Between two answers of a slow agent, a second or two is normal.
const STALLED_MS = 3000;

/** One line: files, bytes, and the time left or, if nothing moves, what is waited for. */
export function progressLine(progress: Progress): string {
  const { uploaded, failed, totalFiles, totalBytes, elapsedMs, stalledMs } = progress;
  // The multipart frame counts as sent too, so the sum can exceed that of the files.
  const sent = Math.min(progress.bytes, totalBytes);
  const hasBytes = totalBytes > 0;
  const share = hasBytes ? sent / totalBytes : uploaded / Math.max(totalFiles, 1);
  const lost = failed > 0 ? `, ${formatNumber(failed)} failed` : '';
  const counts = `${formatNumber(uploaded)} of ${formatCount(totalFiles, 'file')}${lost}`;
  const bytes = `${formatBytes(sent)} of ${formatBytes(totalBytes)} (${Math.floor(share * 100)} %)`;
  if (stalledMs >= STALLED_MS) return `${counts}, ${bytes}, ${describeStall(progress)}`;
  const over = hasBytes ? Math.min((sent + progress.failedBytes) / totalBytes, 1) : share;
  const left = share > 0 ? `, ${formatDuration((elapsedMs * (1 - over)) / over)} left` : '';
  return `${counts}, ${bytes}, ${formatRate(sent, elapsedMs)}${left}`;
}

function describeStall({ stalledMs, inFlight: [first, ...others] }: Progress): string {
  const isAnswerDue = first !== undefined;
  const what = isAnswerDue ? `an answer for ${andMore(first, others.length)}` : 'the next attempt';
  return `waiting for ${what} for ${formatDuration(stalledMs)}`;
}

interface Tally {
  planned: readonly PlannedFile[];
  lastChange: number;
  readonly started: number;
  readonly results: Map<PlannedFile, FileResult>;
  /** Bytes sent of each file that has no answer yet; of a batch, its first file. */
  readonly inFlight: Map<PlannedFile, number>;
}

function newTally(planned: readonly PlannedFile[]): Tally {
  const now = performance.now();
  return { planned, started: now, lastChange: now, results: new Map(), inFlight: new Map() };
}

/** Adds an event. What a failed attempt sent no longer counts. */
function addTo(tally: Tally, event: TransferEvent): void {
  const { results, inFlight } = tally;
  switch (event.kind) {
    case 'concurrency':
    case 'batch-refused':
    case 'end':
      return;
    case 'start':
      tally.planned = event.files;
      results.clear();
      break;
    case 'sent':
      inFlight.set(event.file, (inFlight.get(event.file) ?? 0) + event.bytes);
      break;
    case 'settled':
      inFlight.delete(event.result.file);
      results.set(event.result.file, event.result);
      break;
    case 'retry':
    case 'failed':
      for (const file of event.files) inFlight.delete(file);
  }
  tally.lastChange = performance.now();
}

function progressOf({ planned, started, lastChange, results, inFlight }: Tally): Progress {
  const all = [...results.values()];
  const uploaded = all.filter(({ status }) => status === 'uploaded');
  const failed = all.filter(({ status }) => status === 'failed');
  const sent = [...inFlight.values()].reduce((sum, bytes) => sum + bytes, 0);
  return {
    uploaded: uploaded.length,
    failed: failed.length,
    bytes: totalSize(uploaded.map(({ file }) => file)) + sent,
    failedBytes: totalSize(failed.map(({ file }) => file)),
    totalFiles: planned.length,
    totalBytes: totalSize(planned),
    elapsedMs: performance.now() - started,
    stalledMs: performance.now() - lastChange,
    inFlight: [...inFlight.keys()].map(({ source }) => source),
  };
}
