import type { Attempts, FailedOrNotAttempted } from '../agent/request-each.ts';
import type { DownloadedFile } from '../download/download-file.ts';
import { formatBytes } from '../text/format.ts';
import type { Report } from './report.ts';
import {
  describeDone,
  describeSpeed,
  explainFailedFiles,
  levelOf,
  limitLines,
  listCounts,
  listFiles,
} from './transfer-lines.ts';
import type { SectionView } from './verdict.ts';

export interface DownloadSection {
  /** In the order of the input `files`. */
  readonly files: readonly DownloadResult[];
  readonly retries: number;
  readonly durationMs: number;
}

export type DownloadResult = {
  /** In the sandbox, as the user wrote it. */
  readonly path: string;
  /** On the runner, relative to the workspace. */
  readonly target: string;
} & (
  | ({ readonly status: 'downloaded' } & Attempts & DownloadedFile)
  | { readonly status: 'missing'; readonly reason: string }
  | FailedOrNotAttempted
);

export function viewDownload(section: DownloadSection, report: Report): SectionView {
  const { files, durationMs } = section;
  const totals = countFiles(files);
  const { planned, downloaded, missing, failed, notAttempted } = totals;
  const others = listCounts({ failed, missing, 'not attempted': notAttempted });
  return {
    level: levelOf(totals, downloaded === 0, report),
    headline:
      planned === 0
        ? 'Nothing was downloaded'
        : describeDone('Downloaded', downloaded, planned, durationMs, others),
    ...explainFailedFiles(files, report),
    fileLines: limitLines(listFiles(files, describeFile)),
    logLines: describeSpeed(downloaded, totals.downloadedBytes, section),
    outputs: { 'downloaded-count': String(downloaded), 'failed-count': String(failed) },
    json: { download: { totals, ...section } },
  };
}

function countFiles(files: readonly DownloadResult[]) {
  const count = (wanted: DownloadResult['status']) =>
    files.filter(({ status }) => status === wanted).length;
  return {
    planned: files.length,
    downloaded: count('downloaded'),
    missing: count('missing'),
    failed: count('failed'),
    notAttempted: count('not-attempted'),
    downloadedBytes: files.reduce((sum, file) => sum + ('size' in file ? file.size : 0), 0),
  };
}

function describeFile(file: DownloadResult): string {
  const places = `${file.path} → ${file.target}`;
  return file.status === 'downloaded' ? `${places} (${formatBytes(file.size)})` : places;
}
