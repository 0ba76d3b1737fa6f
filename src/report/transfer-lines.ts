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
  totalSize,
} from '../text/format.ts';
import type { UploadedFile } from '../upload/uploaded-file.ts';
import { type Reason, type RenderedSection, withMarkup } from './section.ts';

/** A file as the log and the summary show it. */
export interface TransferredFile {
  readonly status: (UploadedFile | DownloadedFile)['status'];
  readonly name: string;
  /** Where it went, or should have gone. */
  readonly place: string;
  readonly size: number;
  readonly error?: FailureInfo;
}

/** Returns functions that count the files with a status, and their bytes. */
export function counterOf(files: readonly TransferredFile[]) {
  const withStatus = (status: TransferredFile['status']) =>
    files.filter(file => file.status === status);
  return {
    count: (status: TransferredFile['status']) => withStatus(status).length,
    bytes: (status: TransferredFile['status']) => totalSize(withStatus(status)),
  };
}

/** `sentence` says what was done. It is a problem unless all files were transferred. */
export function renderTransfer(
  sentence: string,
  files: readonly TransferredFile[],
): Required<Pick<RenderedSection, 'problems' | 'done' | 'fileLines'>> {
  const isComplete = files.every(({ status }) => status !== 'failed' && status !== 'not-attempted');
  return {
    problems: isComplete ? [] : [[withMarkup(sentence)], ...explainFailedFiles(files)],
    done: isComplete ? sentence : '',
    fileLines: Object.entries(STATUS_WORDS).flatMap(([status, word]) =>
      files
        .filter(file => file.status === status)
        .map(({ name, place }) => `${word}: ${name} → ${place}`),
    ),
  };
}

// In the order of the log: failures first.
const STATUS_WORDS: Readonly<Record<TransferredFile['status'], string>> = {
  failed: 'failed',
  'not-attempted': 'not attempted',
  missing: 'missing',
  downloaded: 'downloaded',
  uploaded: 'uploaded',
  planned: 'would be uploaded',
  unchanged: 'unchanged',
};

/** Explains why files failed, with the message of the first of those that failed alike. */
function explainFailedFiles(files: readonly TransferredFile[]): Reason[] {
  const failures = files.flatMap(({ name, error }) =>
    // The title already says that the step was cancelled.
    error === undefined || error.kind === 'cancelled' ? [] : { name, error },
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
