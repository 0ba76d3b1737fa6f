import type { FailureInfo } from '../agent/failure.ts';
import type { DownloadResult, DownloadRow } from '../download/download.ts';
import { inlineCode } from '../text/escape.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatRate,
  totalSize,
} from '../text/format.ts';
import { listSome } from '../text/shorten.ts';
import { checksumsOf, type UploadResult } from '../upload/upload.ts';
import type { UploadRow } from '../upload/upload-files.ts';
import { type Problem, problemOfFailure, type RenderedSection } from './section.ts';

export function renderUpload(result: UploadResult, cancelled: boolean): RenderedSection {
  const { warnings, ...others } = result;
  const { files, skipped, digest, shard, orphaned } = others;
  const totals = totalsOf(files, skipped.length);
  const suffix = shard === undefined ? '' : ` (shard ${shard.index} of ${shard.count})`;
  const words = `${describeUpload(result, totals, cancelled)}${suffix}`;
  const transfer = renderTransfer(words, files, cancelled);
  const orphans = listSome(orphaned.map(inlineCode));
  return {
    ...transfer,
    warnings,
    fileLines: [
      ...transfer.fileLines,
      ...skipped.map(({ path, reason }) => `skipped: ${path} (${reason})`),
      ...(digest === '' ? [] : [`digest: ${digest}`]),
    ],
    facts: orphans === '' ? [] : [`Still in the sandbox, but no longer in the build: ${orphans}.`],
    outputs: {
      'uploaded-count': String(totals.uploaded),
      'unchanged-count': String(totals.unchanged),
      'failed-count': String(totals.failed),
      'planned-count': String(totals.planned),
      'skipped-count': String(totals.skipped),
      'uploaded-bytes': String(totals.uploadedBytes),
      digest,
    },
    attachments: { checksums: checksumsOf(files) },
    json: { ...others, totals },
  };
}

function totalsOf(files: readonly UploadRow[], skipped: number) {
  const { count, bytes } = counterOf(files);
  return {
    files: files.length,
    uploaded: count('uploaded'),
    uploadedBytes: bytes('uploaded'),
    unchanged: count('unchanged'),
    unchangedBytes: bytes('unchanged'),
    planned: count('planned'),
    plannedBytes: bytes('planned'),
    failed: count('failed'),
    notAttempted: count('not-attempted'),
    skipped,
  };
}

function describeUpload(
  { dryRun, durationMs }: UploadResult,
  totals: ReturnType<typeof totalsOf>,
  cancelled: boolean,
): string {
  const { files, unchanged, uploaded, planned, failed, notAttempted, skipped } = totals;
  const wanted = files - unchanged;
  if (cancelled && uploaded + failed === 0) return 'cancelled before anything was sent';
  if (files === 0) return 'there were no files to upload';
  const unsent = listCounts({ unchanged, skipped });
  if (dryRun) {
    const size = formatBytes(totals.plannedBytes);
    return `dry run: ${formatCount(planned, 'file')} (${size}) would be uploaded${unsent}`;
  }
  if (uploaded + failed === 0) return `nothing was sent${unsent}`;
  const counts = { done: uploaded, bytes: totals.uploadedBytes, wanted, durationMs };
  const others = `${listCounts({ failed, 'not attempted': notAttempted })}${unsent}`;
  return describeDone('uploaded', counts, others, cancelled);
}

export function renderDownload(result: DownloadResult, cancelled: boolean): RenderedSection {
  const { warnings, ...others } = result;
  const { files } = others;
  const { count, bytes } = counterOf(files);
  const totals = {
    files: files.length,
    downloaded: count('downloaded'),
    missing: count('missing'),
    failed: count('failed'),
    notAttempted: count('not-attempted'),
    downloadedBytes: bytes('downloaded'),
  };
  const { downloaded, missing, failed, notAttempted, downloadedBytes } = totals;
  const counts = { done: downloaded, bytes: downloadedBytes, wanted: files.length };
  const missed = listCounts({ failed, missing, 'not attempted': notAttempted });
  const words = describeDone('downloaded', { ...counts, ...others }, missed, cancelled);
  return {
    ...renderTransfer(words, files, cancelled),
    warnings,
    outputs: { 'downloaded-count': String(downloaded), 'failed-count': String(failed) },
    json: { ...others, totals },
  };
}

/** What the rows of uploads and downloads have in common. */
interface TransferRow {
  readonly status: (UploadRow | DownloadRow)['status'];
  /** Where an upload comes from. A download comes from `path`. */
  readonly source?: string;
  readonly target: string;
  readonly path?: string;
  readonly size?: number;
  readonly error?: FailureInfo;
}

function nameOf({ source, path = '' }: TransferRow): string {
  return source ?? path;
}

/** Returns where a file went, or should have gone. */
function placeOf({ source, target, path, size }: TransferRow): string {
  if (source !== undefined) return path ?? target;
  return size === undefined ? target : `${target} (${formatBytes(size)})`;
}

/** Returns functions that count the rows with a status, and their bytes. */
function counterOf(rows: readonly TransferRow[]) {
  const withStatus = (status: TransferRow['status']) => rows.filter(row => row.status === status);
  return {
    count: (status: TransferRow['status']) => withStatus(status).length,
    bytes: (status: TransferRow['status']) => totalSize(withStatus(status)),
  };
}

/** `words` say what was done. They are a problem unless all files were transferred. */
function renderTransfer(
  words: string,
  rows: readonly TransferRow[],
  cancelled: boolean,
): Required<Pick<RenderedSection, 'problems' | 'done' | 'fileLines'>> {
  const causes = explainFailedFiles(rows);
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
const STATUS_WORDS: Readonly<Record<TransferRow['status'], string>> = {
  failed: 'failed',
  'not-attempted': 'not attempted',
  missing: 'missing',
  downloaded: 'downloaded',
  uploaded: 'uploaded',
  planned: 'would be uploaded',
  unchanged: 'unchanged',
};

/** Explains why files failed, with the words about the first of those that failed alike. */
function explainFailedFiles(rows: readonly TransferRow[]): Problem[] {
  const failures = rows.flatMap(row =>
    // The verdict already says that the step was cancelled.
    row.error === undefined || row.error.kind === 'cancelled'
      ? []
      : { name: nameOf(row), ...problemOfFailure(row.error) },
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
        lines: [...lines, `Files: ${listSome(names, MAX_NAMES)}.`],
      };
    });
  });
}

// More would hide the cause; the log and the report have them all.
const MAX_NAMES = 3;

/** Returns `uploaded 2 files (9 MiB, 3 MiB/s) in 3 s`, or `uploaded 2 of 3 files`, and `others`. */
function describeDone(
  verb: 'uploaded' | 'downloaded',
  counts: Readonly<Record<'done' | 'wanted' | 'bytes' | 'durationMs', number>>,
  others: string,
  cancelled: boolean,
): string {
  const { done, wanted, bytes, durationMs } = counts;
  const files = formatCount(wanted, 'file');
  if (cancelled) return `cancelled: ${formatNumber(done)} of ${files} were ${verb}`;
  if (done < wanted) return `${verb} ${formatNumber(done)} of ${files}${others}`;
  // Below a second, the rate would show the latency rather than the bandwidth.
  const rate = durationMs < 1000 ? '' : `, ${formatRate(bytes, durationMs)}`;
  return `${verb} ${files} (${formatBytes(bytes)}${rate}) in ${formatDuration(durationMs)}${others}`;
}

/** Lists counts other than 0: `, 1 failed, 2 unchanged`. */
function listCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `, ${formatNumber(count)} ${what}`)
    .join('');
}
