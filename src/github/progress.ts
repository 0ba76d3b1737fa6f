import type { PlannedFile } from '../files/plan.ts';
import { judgementLine } from '../report/figures.ts';
import type { RunEvent } from '../tasks/context.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatRate,
  listSome,
  totalSize,
} from '../text/format.ts';
import type { Log } from './log.ts';

type LogLine = Log['line'];
type OnEvent = (event: RunEvent) => void;

const PROGRESS_INTERVAL_MS = 15_000;

export function eventLog({ line, output, debug }: Pick<Log, 'line' | 'output' | 'debug'>): OnEvent {
  const handlers = [progressLog(line), retryLog(line, debug), waitLog(line)];
  return event => {
    if (event.kind === 'debug') debug(event.text);
    if (event.kind === 'note') line(event.text);
    if (event.kind === 'output') output(event.text);
    for (const handle of handlers) handle(event);
  };
}

function progressLog(log: LogLine): OnEvent {
  const done = { files: 0, bytes: 0 };
  let timer: NodeJS.Timeout | undefined;
  return event => {
    if (event.kind === 'sent') done.bytes += event.bytes;
    if (event.kind === 'attempted') done.files += event.count;
    if (event.kind === 'end') clearInterval(timer);
    if (event.kind !== 'start') return;
    log(event.title);
    const startedAt = performance.now();
    const line = () => progressLine(event.files, done, performance.now() - startedAt);
    timer = setInterval(() => log(line()), PROGRESS_INTERVAL_MS).unref();
  };
}

export function progressLine(
  files: readonly PlannedFile[],
  done: { readonly files: number; readonly bytes: number },
  elapsedMs: number,
): string {
  const total = totalSize(files);
  // Cap the bytes sent, which include multipart framing and failed attempts.
  const bytes = Math.min(done.bytes, total);
  const counts = `${formatNumber(done.files)} of ${formatCount(files.length, 'file')}`;
  const sizes = `${formatBytes(bytes)} of ${formatBytes(total)}`;
  return `${counts}, ${sizes}, ${formatRate(bytes, elapsedMs)}`;
}

// An outage can cause thousands of retries; the report counts the attempts of each file.
const MAX_RETRY_LINES = 20;

function retryLog(log: LogLine, debug: LogLine): OnEvent {
  let count = 0;
  return event => {
    if (event.kind !== 'retry') return;
    count += 1;
    const { attempt, delayMs, error } = event.retry;
    const failure = `Attempt ${attempt} for ${nameFiles(event.files)} failed`;
    const line = `${failure}, next in ${formatDuration(delayMs)}: ${error.message}`;
    if (count <= MAX_RETRY_LINES) log(line);
    else debug(line);
    if (count === MAX_RETRY_LINES) log('Further failed attempts are only in the report.');
  };
}

function nameFiles(files: readonly Pick<PlannedFile, 'source'>[]): string {
  return files.length === 0
    ? 'the stats'
    : listSome(
        files.map(({ source }) => source),
        1,
      );
}

function waitLog(log: LogLine): OnEvent {
  let dueMs = PROGRESS_INTERVAL_MS;
  return event => {
    if (event.kind === 'wait')
      log(`Waiting up to ${formatDuration(event.timeoutMs)} for the sandbox`);
    if (event.kind !== 'waited') return;
    const { isReady, waitedMs, unmet, error } = event.wait;
    if (isReady) return log(`The sandbox was ready after ${formatDuration(waitedMs)}`);
    if (waitedMs < dueMs) return;
    dueMs = waitedMs + PROGRESS_INTERVAL_MS;
    const reasons = unmet.map(judgementLine);
    if (error !== undefined) reasons.push(error.message);
    log(`Waited ${formatDuration(waitedMs)}: ${reasons.join('; ')}`);
  };
}
