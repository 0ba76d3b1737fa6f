import type { FailureInfo } from '../agent/failure.ts';
import type { DownloadedFile } from '../download/download.ts';
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
import type { UploadedFile } from '../upload/uploaded-file.ts';
import { type Reason, type RenderedSection, withMarkup } from './section.ts';

type TransferredFile = UploadedFile | DownloadedFile;

type Counts = Readonly<Record<'failed' | 'notAttempted', number>>;

/** Returns `warning` for a transfer of no files if there is a warning, which explains it. */
export function levelOf(
  { failed, notAttempted }: Counts,
  isEmptyWithWarning: boolean,
): RenderedSection['level'] {
  if (failed + notAttempted > 0) return 'failure';
  return isEmptyWithWarning ? 'warning' : 'success';
}

/** Says what was done. It is a problem if files failed; `fileFailures` say why. */
export function outcomeOf(
  { failed }: Counts,
  sentence: string,
): Pick<RenderedSection, 'problems' | 'done'> {
  if (failed === 0) return { done: `${sentence}.` };
  return { problems: [[withMarkup(`${sentence}.`)]], done: '' };
}

/** Explains why files failed, with the message of the first of those that failed alike. */
export function explainFailedFiles<R extends TransferredFile>(
  files: readonly R[],
  nameOf: (file: R) => string,
): Reason[] {
  const failures = files.flatMap(file =>
    // The title already says that the step was cancelled.
    file.status === 'failed' && file.error.kind !== 'cancelled'
      ? { name: nameOf(file), error: file.error }
      : [],
  );
  // Group by status and hint, since messages differ: each names its file.
  const groups = Map.groupBy(failures, ({ error }) => `${error.status} ${error.hint}`);
  const largestFirst = [...groups.values()].sort((one, other) => other.length - one.length);
  return largestFirst.map(describeGroup);
}

// More would hide the cause; the log and the report have them all.
const MAX_NAMES = 3;

function describeGroup(group: readonly { name: string; error: FailureInfo }[]): Reason {
  const { message = '', hint = '' } = group[0]?.error ?? {};
  const count = group.length === 1 ? '' : `${formatCount(group.length, 'file')}: `;
  const names = listSome(
    group.map(({ name }) => inlineCode(name)),
    MAX_NAMES,
  );
  return [{ text: message }, withMarkup(hint), withMarkup(`${count}${names}`)];
}

const STATUS_WORDS: Readonly<Record<TransferredFile['status'], string>> = {
  failed: 'failed',
  'not-attempted': 'not attempted',
  missing: 'missing',
  downloaded: 'downloaded',
  uploaded: 'uploaded',
  planned: 'would be uploaded',
  unchanged: 'unchanged',
};

/** Returns a log line for each file, grouped by status, failures first. */
export function listFiles<R extends TransferredFile>(
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
