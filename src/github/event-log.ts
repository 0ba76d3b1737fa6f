import type { AgentError } from '../agent/failure.ts';
import type { PlannedFile } from '../files/plan.ts';
import { andMore, formatDuration, formatNumber } from '../text/format.ts';
import type { TransferEvent } from '../upload/result.ts';
import { annotate, logLine } from './log.ts';

// When everything fails, there are thousands; the report file lists each.
const MAX_RETRY_LINES = 20;
const NO_MORE_RETRY_LINES =
  'Further failed attempts are not shown here; the report file has the number for each file.';

type RetryEvent = Extract<TransferEvent, { kind: 'retry' }>;

/** Logs the first retries. */
export function retryLog(): (event: RetryEvent) => void {
  let count = 0;
  return event => {
    count += 1;
    if (count <= MAX_RETRY_LINES) logLine(retryLine(event));
    else if (count === MAX_RETRY_LINES + 1) logLine(NO_MORE_RETRY_LINES);
  };
}

function retryLine({ files, retry }: RetryEvent): string {
  const { attempt, delayMs, error } = retry;
  return `Attempt ${attempt} for ${nameFiles(files)} failed, next in ${formatDuration(delayMs)}: ${error.message}`;
}

function nameFiles([first, ...others]: readonly PlannedFile[]): string {
  return andMore(first?.source ?? 'the stats', others.length);
}

/** Warns about refused batches once a file arrives alone: until then, batching may not be the cause. */
export function batchWarning(): (event: TransferEvent) => void {
  let pending: string | undefined;
  return event => {
    if (event.kind === 'batch-refused')
      pending = `The agent did not store all ${formatNumber(event.files.length)} files of one request. From now on, each is sent alone.`;
    const hasArrived = event.kind === 'settled' && event.result.status === 'uploaded';
    if (!hasArrived || pending === undefined) return;
    annotate.warning([pending]);
    pending = undefined;
  };
}

/** What the debug log says about an event. */
export function debugLines(event: TransferEvent): string[] {
  if (event.kind === 'retry')
    return [
      `Attempt ${event.retry.attempt} for ${nameFiles(event.files)}: ${describeCauses(event.retry.error)}`,
    ];
  if (event.kind === 'failed')
    return [`Failed: ${nameFiles(event.files)}: ${describeCauses(event.error)}`];
  if (event.kind === 'concurrency')
    return [`Concurrency: ${event.from} → ${event.to}, ${event.reason}`];
  return [];
}

const MAX_CAUSES = 5;

/** An error's message, and below it what caused it, the nearest cause first. */
function describeCauses(error: AgentError): string {
  const lines = [`${error.kind}. ${error.message}`];
  for (let at = error.cause; at instanceof Error && lines.length <= MAX_CAUSES; at = at.cause) {
    const code = 'code' in at ? ` ${String(at.code)}` : '';
    const others = at instanceof AggregateError ? ` ${at.errors.map(String).join('; ')}` : '';
    lines.push(`- because of ${at.name}${code}: ${at.message}${others}`);
  }
  return lines.join('\n');
}
