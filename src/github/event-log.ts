import type { PlannedFile } from '../files/plan.ts';
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
  const showProgress = progressLog(line);
  return event => {
    if (event.kind === 'debug') debug(event.text);
    if (event.kind === 'note') line(event.text);
    if (event.kind === 'output') output(event.text);
    if (event.kind === 'retry') line(retryLine(event));
    showProgress(event);
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

function retryLine({ files, retry }: Extract<RunEvent, { readonly kind: 'retry' }>): string {
  const { attempt, delayMs, error } = retry;
  const names = files.map(({ source }) => source);
  const what = listSome(names, 1) || 'the stats';
  return `Attempt ${attempt} for ${what} failed, next in ${formatDuration(delayMs)}: ${error.message}`;
}
