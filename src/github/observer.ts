import type { PlannedFile } from '../files/plan.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { describeShard } from '../report/report.ts';
import type { Observer } from '../run/context.ts';
import type { PlannedUpload } from '../run/plan.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  totalSize,
} from '../text/format.ts';
import { batchWarning, debugLines, retryLog } from './event-log.ts';
import { logLine } from './log.ts';
import { showProgress } from './progress.ts';
import { waitLog } from './wait-log.ts';

/** Logs the plan, waits, retries and progress as they happen. */
export function watchRun(debug: (text: string) => void): Observer {
  let progress: ReturnType<typeof showProgress> | undefined;
  const showRetry = retryLog();
  const warnOfBatches = batchWarning();
  return {
    planned(upload, inputs) {
      const changed = upload.files.filter(file => !upload.unchanged.has(file));
      debug(planLines(upload, changed));
      // The verdict says that nothing is to be uploaded.
      if (changed.length > 0) logLine(announcement(upload, changed, inputs));
    },
    waiting: ({ sandboxId, waitTimeout }) =>
      logLine(`Waiting up to ${formatDuration(waitTimeout)} for sandbox ${sandboxId} to be ready`),
    waited: waitLog(),
    event(event) {
      if (event.kind === 'start') progress ??= showProgress(event.files);
      progress?.add(event);
      if (event.kind === 'end') progress?.stop();
      for (const line of debugLines(event)) debug(line);
      if (event.kind === 'retry') showRetry(event);
      warnOfBatches(event);
    },
  };
}

function announcement(
  { shard, unchanged }: PlannedUpload,
  changed: readonly PlannedFile[],
  { dryRun, sandboxId, baseUrl }: Inputs<'upload'>,
): string {
  const doing = dryRun ? 'Planning the upload of' : 'Uploading';
  const files = `${formatCount(changed.length, 'file')} (${formatBytes(totalSize(changed))})`;
  const which = shard === undefined ? '' : `, ${describeShard(shard)}`;
  const same = unchanged.size === 0 ? '' : `, ${formatNumber(unchanged.size)} unchanged`;
  return `${doing} ${files} to sandbox ${sandboxId} at ${baseUrl}${which}${same}`;
}

function planLines(
  { files, skipped, hidden, orphaned, shard, unchanged, state }: PlannedUpload,
  changed: readonly PlannedFile[],
): string {
  const others =
    shard === undefined ? '' : `, ${formatNumber(shard.planned - shard.files)} of other shards`;
  const bytes = formatCount(totalSize(changed), 'byte');
  const plan = [
    `Plan: ${formatCount(files.length, 'file')}`,
    `${formatCount(changed.length, 'file')}, ${bytes} to send`,
    `${formatNumber(skipped.length)} skipped, ${formatNumber(hidden.length)} hidden${others}`,
  ];
  const lines = [plan.join('; ')];
  if (state !== undefined) {
    const rows = `${formatNumber(state.rows.size)} rows, ${formatCount(unchanged.size, 'file')} unchanged`;
    lines.push(`State file ${state.file}: ${rows}, ${formatNumber(orphaned.length)} orphaned`);
  }
  return lines.join('\n');
}
