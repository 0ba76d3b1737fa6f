import { formatBytes, formatCount, formatDuration, formatNumber, formatRate } from '../report/units.ts';
import type { Observer } from '../run/surroundings.ts';
import type { Plan, PlannedFile } from '../upload/plan.ts';
import type { TransferEvent } from '../upload/result.ts';
import { logLine } from './log.ts';

const INTERVAL_MS = 5000;

// With everything failing there are thousands; the report file has each.
const MAX_RETRY_LINES = 20;

/** What a transfer has done so far. */
export interface Progress {
  /** Files that arrived. */
  readonly files: number;
  readonly failed: number;
  /** Bytes of those that arrived and of what is on its way. */
  readonly bytes: number;
  readonly totalFiles: number;
  readonly totalBytes: number;
  readonly elapsedMs: number;
}

/** Logs the plan, the progress every few seconds, and retries as they happen. `stop` ends it. */
export function watchTransfer(): Observer & { stop: () => void } {
  const started = performance.now();
  const tally = newTally();
  let plan: Plan | undefined;
  let retries = 0;
  const timer = setInterval(() => {
    if (plan !== undefined)
      logLine(progressLine({ ...tally.now(), ...sizeOf(plan), elapsedMs: performance.now() - started }));
  }, INTERVAL_MS);
  timer.unref();
  return {
    planned(files, { connection, upload }) {
      plan = files;
      const { totalFiles, totalBytes } = sizeOf(files);
      const doing = upload.dryRun ? 'Planning the upload of' : 'Uploading';
      const where = `sandbox ${connection.sandboxId} at ${connection.baseUrl}`;
      if (totalFiles > 0)
        logLine(`${doing} ${formatCount(totalFiles, 'file')} (${formatBytes(totalBytes)}) to ${where}`);
    },
    waiting: ({ sandboxId }, timeoutMs) =>
      logLine(`Waiting up to ${formatDuration(timeoutMs)} for sandbox ${sandboxId} to be ready`),
    event(event) {
      tally.add(event);
      if (event.kind === 'retry' && ++retries <= MAX_RETRY_LINES) logLine(retryLine(event));
      if (event.kind === 'refused') logLine(refusedLine(event.files.length));
    },
    stop: () => clearInterval(timer),
  };
}

/** Files, bytes, percent, rate and the time left. */
export function progressLine(progress: Progress): string {
  const { files, failed, totalFiles, totalBytes, elapsedMs } = progress;
  // The frame round a file counts as sent too, so the sum can exceed the files'.
  const sent = Math.min(progress.bytes, totalBytes);
  const share = totalBytes === 0 ? files / Math.max(totalFiles, 1) : sent / totalBytes;
  const left = share > 0 ? `, ${formatDuration((elapsedMs * (1 - share)) / share)} left` : '';
  const counts = `${formatNumber(files)} of ${formatCount(totalFiles, 'file')}${failed > 0 ? `, ${formatNumber(failed)} failed` : ''}`;
  return `${counts}, ${formatBytes(sent)} of ${formatBytes(totalBytes)} (${Math.floor(share * 100)} %), ${formatRate(sent, elapsedMs)}${left}`;
}

/** Adds up what happens; what an attempt sent that failed is taken off again. */
function newTally(): {
  add: (event: TransferEvent) => void;
  now: () => Pick<Progress, 'files' | 'failed' | 'bytes'>;
} {
  const onTheWay = new Map<PlannedFile, number>();
  const done = { files: 0, failed: 0, bytes: 0 };
  return {
    add(event) {
      if (event.kind === 'sent') onTheWay.set(event.file, (onTheWay.get(event.file) ?? 0) + event.bytes);
      else if (event.kind !== 'settled') for (const file of event.files) onTheWay.delete(file);
      else {
        onTheWay.delete(event.result.file);
        if (event.result.status === 'failed') done.failed += 1;
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
  return `The agent did not store all of ${formatNumber(count)} files sent with one request. From now on, each goes alone`;
}

function sizeOf({ files }: Plan): { totalFiles: number; totalBytes: number } {
  return { totalFiles: files.length, totalBytes: files.reduce((sum, file) => sum + file.size, 0) };
}
