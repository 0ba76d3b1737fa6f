import { inlineCode } from '../text/escape.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatRate,
  limitList,
  listSome,
  moreInReport,
} from '../text/format.ts';
import type { FileResult } from '../upload/upload-files.ts';
import type { DownloadResult } from './download-section.ts';
import { type Reason, withMarkup } from './reason.ts';
import type { Report } from './report.ts';
import type { SectionView } from './verdict.ts';

type TransferResult = FileResult | DownloadResult;

/** Returns `warning` for a transfer of no files if the report has a warning, which explains it. */
export function levelOf(
  { failed, notAttempted }: Readonly<Record<'failed' | 'notAttempted', number>>,
  hasNothing: boolean,
  { warnings }: Report,
): SectionView['level'] {
  if (failed + notAttempted > 0) return 'failure';
  return hasNothing && warnings.length > 0 ? 'warning' : 'success';
}

export function explainFailedFiles(
  files: readonly TransferResult[],
  { errors, cancelled }: Report,
): Pick<SectionView, 'fileFailures' | 'reasons'> {
  const failed = files.filter(file => file.status === 'failed');
  // The title already says that the job was cancelled.
  const failuresToReport = failed.filter(({ error }) => error.kind !== 'cancelled');
  // Group by status and hint, since messages differ: each names its file.
  const groups = Map.groupBy(failuresToReport, ({ error }) => `${error.status} ${error.hint}`);
  const largestFirst = [...groups.values()].sort((one, other) => other.length - one.length);
  // A step-level error or a cancellation already explains why files were not attempted.
  const isExplained = errors.length > 0 || cancelled;
  const unattempted = isExplained ? [] : files.filter(file => file.status === 'not-attempted');
  const reasons = new Set(unattempted.map(({ reason }) => `Not attempted: ${reason}`));
  return {
    fileFailures: largestFirst.map(describeGroup),
    reasons: Array.from(reasons, text => [{ text }]),
  };
}

/** Describes files that failed for the same reason, with the message of the first. */
function describeGroup(group: readonly Extract<TransferResult, { status: 'failed' }>[]): Reason {
  const { message = '', hint = '' } = group[0]?.error ?? {};
  const names = group.map(result => ('file' in result ? result.file.source : result.path));
  const count = group.length === 1 ? '' : `${formatCount(group.length, 'file')}: `;
  return [
    { text: message },
    withMarkup(hint),
    withMarkup(`${count}${listSome(names.map(inlineCode))}`),
  ];
}

const STATUS_WORDS: Readonly<Record<TransferResult['status'], string>> = {
  failed: 'failed',
  'not-attempted': 'not attempted',
  missing: 'missing',
  downloaded: 'downloaded',
  uploaded: 'uploaded',
  // Files only get this status in a dry run. Skipped links and pipes are not FileResults.
  skipped: 'would be uploaded',
  unchanged: 'unchanged',
};

/** Returns a log line for each file, grouped by status, failures first. */
export function listFiles<R extends TransferResult>(
  files: readonly R[],
  describe: (file: R) => string,
): string[] {
  return Object.entries(STATUS_WORDS).flatMap(([status, word]) =>
    files.filter(file => file.status === status).map(file => `${word}: ${describe(file)}`),
  );
}

const MAX_LOGGED = 1000;

export function limitLines(lines: readonly string[]): readonly string[] {
  return limitList(lines, MAX_LOGGED, moreInReport);
}

export function describeSpeed(
  count: number,
  bytes: number,
  { retries, durationMs }: Readonly<Record<'retries' | 'durationMs', number>>,
): string[] {
  if (count === 0) return [];
  // Below a second, the rate would show the latency rather than the bandwidth.
  const rate = durationMs < 1000 ? '' : `, ${formatRate(bytes, durationMs)}`;
  const repeated = listCounts({ [retries === 1 ? 'retry' : 'retries']: retries });
  return [`${formatCount(count, 'file')}, ${formatBytes(bytes)}${rate}${repeated}`];
}

/** Returns a headline such as `Uploaded 2 files in 3 s` or `Uploaded 2 of 3 files, 1 failed`. */
export function describeDone(
  verb: 'Uploaded' | 'Downloaded',
  done: number,
  wanted: number,
  durationMs: number,
  others: string,
): string {
  const files = formatCount(wanted, 'file');
  return done === wanted
    ? `${verb} ${files} in ${formatDuration(durationMs)}${others}`
    : `${verb} ${formatNumber(done)} of ${files}${others}`;
}

/** Lists counts other than 0: `, 1 failed, 2 unchanged`. */
export function listCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `, ${formatNumber(count)} ${what}`)
    .join('');
}
