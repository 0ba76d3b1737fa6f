import type { DownloadRow } from '../download/download.ts';
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
import type { UploadRow } from '../upload/uploaded-file.ts';
import { type Problem, problemOfFailure, type RenderedSection } from './section.ts';

type Row = UploadRow | DownloadRow;

/** Returns functions that count the rows with a status, and their bytes. */
export function counterOf(rows: readonly Row[]) {
  const withStatus = (status: Row['status']) => rows.filter(row => row.status === status);
  return {
    count: (status: Row['status']) => withStatus(status).length,
    bytes: (status: Row['status']) => totalSize(withStatus(status).filter(row => 'size' in row)),
  };
}

interface RowTexts<R> {
  readonly nameOf: (row: R) => string;
  /** Returns where a file went, or should have gone. */
  readonly placeOf: (row: R) => string;
}

/** `words` say what was done. They are a problem unless all files were transferred. */
export function renderTransfer<R extends Row>(
  words: string,
  rows: readonly R[],
  { nameOf, placeOf }: RowTexts<R>,
  cancelled: boolean,
): Required<Pick<RenderedSection, 'problems' | 'done' | 'fileLines'>> {
  const causes = explainFailedFiles(rows, nameOf);
  const isComplete = rows.every(({ status }) => status !== 'failed' && status !== 'not-attempted');
  const isFine = cancelled ? causes.length === 0 : isComplete;
  return {
    problems: isFine ? [] : [{ verdict: words, lines: [] }, ...causes],
    done: isFine ? words : '',
    fileLines: Object.entries(STATUS_WORDS).flatMap(([status, word]) =>
      rows
        .filter(row => row.status === status)
        .map(row => `${word}: ${nameOf(row)} → ${placeOf(row)}`),
    ),
  };
}

// In the order of the log: failures first.
const STATUS_WORDS: Readonly<Record<Row['status'], string>> = {
  failed: 'failed',
  'not-attempted': 'not attempted',
  missing: 'missing',
  downloaded: 'downloaded',
  uploaded: 'uploaded',
  planned: 'would be uploaded',
  unchanged: 'unchanged',
};

/** Explains why files failed, with the words about the first of those that failed alike. */
function explainFailedFiles<R extends Row>(
  rows: readonly R[],
  nameOf: RowTexts<R>['nameOf'],
): Problem[] {
  const failures = rows.flatMap(row =>
    // The verdict already says that the step was cancelled.
    row.status === 'failed' && row.error.kind !== 'cancelled'
      ? { name: nameOf(row), ...problemOfFailure(row.error) }
      : [],
  );
  // Group by verdict and advice, since messages differ: each names its file.
  const groups = Map.groupBy(failures, ({ verdict, lines }) => `${verdict} ${lines.at(-1)}`);
  const largestFirst = [...groups.values()].sort((one, other) => other.length - one.length);
  return largestFirst.flatMap(group => {
    const names = group.map(({ name }) => inlineCode(name));
    const count = formatCount(group.length, 'file');
    return group.slice(0, 1).map(({ verdict, lines }) => {
      return {
        verdict: `${count}: ${verdict}`,
        lines: [...lines, `${listSome(names, MAX_NAMES)}.`],
      };
    });
  });
}

// More would hide the cause; the log and the report have them all.
const MAX_NAMES = 3;

interface Transferred {
  readonly done: number;
  readonly bytes: number;
  readonly wanted: number;
  readonly durationMs: number;
}

/** Returns `uploaded 2 files (9 MiB, 3 MiB/s) in 3 s`, or `uploaded 2 of 3 files`. */
export function describeDone(
  verb: 'uploaded' | 'downloaded',
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
