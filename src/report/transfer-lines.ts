import type { FailureInfo } from '../agent/failure.ts';
import type { DownloadedFile } from '../download/download.ts';
import { inlineCode } from '../text/escape.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatRate,
  listSome,
} from '../text/format.ts';
import type { UploadedFile } from '../upload/uploaded-file.ts';
import { type Reason, type RenderedSection, withMarkup } from './section.ts';

type TransferredFile = UploadedFile | DownloadedFile;

/** Returns functions that count the files with a status, and their bytes. */
export function counterOf<F extends TransferredFile>(
  files: readonly F[],
  sizeOf: (file: F) => number,
) {
  const withStatus = (status: F['status']) => files.filter(file => file.status === status);
  return {
    count: (status: F['status']) => withStatus(status).length,
    bytes: (status: F['status']) => withStatus(status).reduce((sum, file) => sum + sizeOf(file), 0),
  };
}

interface TransferWords<F> {
  /** What was done. It is a problem if files are missing in the sandbox or on the runner. */
  readonly sentence: string;
  readonly nameOf: (file: F) => string;
  /** Describes a file in the log. */
  readonly describe: (file: F) => string;
}

export function renderTransfer<F extends TransferredFile>(
  files: readonly F[],
  { sentence, nameOf, describe }: TransferWords<F>,
): Required<Pick<RenderedSection, 'problems' | 'done' | 'fileLines'>> {
  const isComplete = files.every(({ status }) => status !== 'failed' && status !== 'not-attempted');
  return {
    problems: isComplete ? [] : [[withMarkup(sentence)], ...explainFailedFiles(files, nameOf)],
    done: isComplete ? sentence : '',
    fileLines: listFiles(files, describe),
  };
}

/** Explains why files failed, with the message of the first of those that failed alike. */
function explainFailedFiles<F extends TransferredFile>(
  files: readonly F[],
  nameOf: (file: F) => string,
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
function listFiles<F extends TransferredFile>(
  files: readonly F[],
  describe: (file: F) => string,
): string[] {
  return Object.entries(STATUS_WORDS).flatMap(([status, word]) =>
    files.filter(file => file.status === status).map(file => `${word}: ${describe(file)}`),
  );
}

interface Transferred {
  readonly done: number;
  readonly bytes: number;
  readonly wanted: number;
  readonly durationMs: number;
}

/** Returns `Uploaded 2 files (9 MiB, 3 MiB/s) in 3 s`, or `Uploaded 2 of 3 files`. */
export function describeDone(
  verb: 'Uploaded' | 'Downloaded',
  { done, bytes, wanted, durationMs }: Transferred,
): string {
  const files = formatCount(wanted, 'file');
  if (done < wanted) return `${verb} ${formatNumber(done)} of ${files}`;
  // Below a second, the rate would show the latency rather than the bandwidth.
  const rate = durationMs < 1000 ? '' : `, ${formatRate(bytes, durationMs)}`;
  return `${verb} ${files} (${formatBytes(bytes)}${rate}) in ${formatDuration(durationMs)}`;
}

/** Lists counts other than 0: `, 1 failed, 2 unchanged`. */
export function listCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `, ${formatNumber(count)} ${what}`)
    .join('');
}
