import type { AgentError } from '../agent/failure.ts';
import type { PlannedFile } from '../files/plan.ts';
import type { Figures } from '../gate/metrics.ts';
import { formatFigure, judgementLine } from '../report/figures.ts';
import type { RunEvent } from '../run/context.ts';
import {
  andMore,
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatRate,
  totalSize,
} from '../text/format.ts';
import type { Log } from './log.ts';

type Line = Log['line'];
type OnEvent = (event: RunEvent) => void;

const INTERVAL_MS = 15_000;

export function eventLog({ line, debug }: Pick<Log, 'line' | 'debug'>): OnEvent {
  const logs = [progressLog(line), retryLog(line), waitLog(line), debugLog(debug)];
  return event => {
    for (const each of logs) each(event);
  };
}

function progressLog(log: Line): OnEvent {
  const done = { files: 0, bytes: 0 };
  let timer: NodeJS.Timeout | undefined;
  return event => {
    if (event.kind === 'sent') done.bytes += event.bytes;
    if (event.kind === 'settled') done.files += 1;
    if (event.kind === 'end') clearInterval(timer);
    if (event.kind !== 'start') return;
    log(event.title);
    const startedAt = performance.now();
    const line = () => progressLine(event.files, done, performance.now() - startedAt);
    // The timer must not keep the process alive.
    timer = setInterval(() => log(line()), INTERVAL_MS).unref();
  };
}

export function progressLine(
  files: readonly PlannedFile[],
  done: { readonly files: number; readonly bytes: number },
  elapsedMs: number,
): string {
  const total = totalSize(files);
  // Multipart framing and failed attempts count as sent too.
  const bytes = Math.min(done.bytes, total);
  const counts = `${formatNumber(done.files)} of ${formatCount(files.length, 'file')}`;
  const sizes = `${formatBytes(bytes)} of ${formatBytes(total)}`;
  return `${counts}, ${sizes}, ${formatRate(bytes, elapsedMs)}`;
}

// An outage causes thousands of retries; the report has the attempts of each file.
const MAX_RETRY_LINES = 20;

function retryLog(log: Line): OnEvent {
  let count = 0;
  return event => {
    if (event.kind !== 'retry') return;
    count += 1;
    const { attempt, delayMs, error } = event.retry;
    const what = `Attempt ${attempt} for ${nameFiles(event.files)} failed`;
    if (count <= MAX_RETRY_LINES)
      log(`${what}, next in ${formatDuration(delayMs)}: ${error.message}`);
    if (count === MAX_RETRY_LINES) log('Further failed attempts are only in the report.');
  };
}

function waitLog(log: Line): OnEvent {
  let dueMs = INTERVAL_MS;
  return event => {
    if (event.kind === 'wait')
      log(`Waiting up to ${formatDuration(event.timeoutMs)} for the sandbox`);
    if (event.kind !== 'waited') return;
    const { held, waitedMs, unmet, error } = event.wait;
    if (held) return log(`The sandbox was ready after ${formatDuration(waitedMs)}`);
    if (waitedMs < dueMs) return;
    dueMs = waitedMs + INTERVAL_MS;
    const reasons = [...unmet.map(judgementLine), ...(error === undefined ? [] : [error.message])];
    log(`Waited ${formatDuration(waitedMs)}: ${reasons.join('; ')}`);
  };
}

function debugLog(debug: Line): OnEvent {
  return event => {
    if (event.kind === 'found') debug(event.text);
    if (event.kind === 'retry')
      debug(`Attempt ${event.retry.attempt}: ${describeCauses(event.retry.error)}`);
    if (event.kind === 'failed')
      debug(`Failed: ${nameFiles(event.files)}: ${describeCauses(event.error)}`);
    if (event.kind === 'concurrency')
      debug(`Concurrency: ${event.from} → ${event.to}, ${event.reason}`);
    if (event.kind === 'sample') debug(`Sample: ${describeFigures(event.figures)}`);
  };
}

function describeFigures(figures: Figures): string {
  return [...figures]
    .map(([metric, figure]) => `${metric} ${formatFigure(metric, figure)}`)
    .join(', ');
}

function nameFiles([first, ...others]: readonly PlannedFile[]): string {
  return andMore(first?.source ?? 'the stats', others.length);
}

const MAX_CAUSES = 5;

function describeCauses(error: AgentError): string {
  const lines = [`${error.kind}. ${error.message}`];
  for (let at = error.cause; at instanceof Error && lines.length <= MAX_CAUSES; at = at.cause) {
    const others = at instanceof AggregateError ? ` ${at.errors.map(String).join('; ')}` : '';
    lines.push(`- because of ${at.name}: ${at.message}${others}`);
  }
  return lines.join('\n');
}
