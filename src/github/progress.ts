import { formatBytes, formatCount, formatDuration, formatNumber, formatRate } from '../report/units.ts';
import type { Observer } from '../run/sync.ts';
import type { Plan } from '../upload/plan.ts';
import type { TransferEvent } from '../upload/transfer.ts';
import { logLine } from './log.ts';

const INTERVAL_MS = 5000;

// With everything failing there are thousands; the report file has each.
const MAX_RETRY_LINES = 50;

/** What a transfer has done so far. */
export interface Progress {
  readonly files: number;
  readonly bytes: number;
  readonly totalFiles: number;
  readonly totalBytes: number;
  readonly elapsedMs: number;
}

/** Logs the plan, the progress every few seconds, and retries as they happen. `stop` ends it. */
export function watchTransfer(): Observer & { stop: () => void } {
  const started = performance.now();
  const done = { files: 0, bytes: 0, retries: 0 };
  let plan: Plan | undefined;
  const timer = setInterval(() => {
    if (plan !== undefined)
      logLine(progressLine({ ...done, ...sizeOf(plan), elapsedMs: performance.now() - started }));
  }, INTERVAL_MS);
  timer.unref();
  return {
    planned(files, { connection, dryRun }) {
      plan = files;
      const { totalFiles, totalBytes } = sizeOf(files);
      const doing = dryRun ? 'Planning the upload of' : 'Uploading';
      const where = `sandbox ${connection.sandboxId} at ${connection.baseUrl}`;
      logLine(`${doing} ${formatCount(totalFiles, 'file')} (${formatBytes(totalBytes)}) to ${where}`);
    },
    event(event) {
      if (event.kind === 'sent') done.bytes += event.bytes;
      else if (event.kind === 'settled') done.files += 1;
      else if (++done.retries <= MAX_RETRY_LINES) logLine(retryLine(event));
    },
    stop: () => clearInterval(timer),
  };
}

/** Files, bytes, percent, rate and the time left. */
export function progressLine({ files, bytes, totalFiles, totalBytes, elapsedMs }: Progress): string {
  // Frames and repeated attempts count as sent too, so the sum can exceed the files'.
  const sent = Math.min(bytes, totalBytes);
  const share = totalBytes === 0 ? files / Math.max(totalFiles, 1) : sent / totalBytes;
  const left = share > 0 ? `, ${formatDuration((elapsedMs * (1 - share)) / share)} left` : '';
  const counts = `${formatNumber(files)} of ${formatCount(totalFiles, 'file')}`;
  return `${counts}, ${formatBytes(sent)} of ${formatBytes(totalBytes)} (${Math.floor(share * 100)} %), ${formatRate(sent, elapsedMs)}${left}`;
}

function retryLine({ subject, retry }: Extract<TransferEvent, { kind: 'retry' }>): string {
  const { attempt, delayMs, error } = retry;
  return `Attempt ${attempt} for ${subject} failed, next in ${formatDuration(delayMs)}: ${error.message}`;
}

function sizeOf({ files }: Plan): { totalFiles: number; totalBytes: number } {
  return { totalFiles: files.length, totalBytes: files.reduce((sum, file) => sum + file.size, 0) };
}
