import type { DownloadedFile, DownloadResult } from '../download/download.ts';
import { formatBytes } from '../text/format.ts';
import type { RenderedSection } from './section.ts';
import {
  describeDone,
  describeSpeed,
  explainFailedFiles,
  levelOf,
  limitLines,
  listCounts,
  listFiles,
  outcomeOf,
} from './transfer-lines.ts';

const NOT_FOUND = 'does not exist in the sandbox';

export function renderDownload(result: DownloadResult): RenderedSection {
  const { files, retries, durationMs } = result;
  const totals = countFiles(files);
  const { downloaded, missing, failed, notAttempted } = totals;
  const others = listCounts({ failed, missing, 'not attempted': notAttempted });
  const warned = files.filter(
    ({ status }) => status === 'missing' && result.ifNoFilesFound === 'warn',
  );
  return {
    level: levelOf(totals, downloaded === 0 && warned.length > 0),
    ...outcomeOf(totals, describeDone('Downloaded', downloaded, files.length, durationMs, others)),
    fileFailures: explainFailedFiles(files, ({ path }) => path),
    warnings: warned.map(({ path }) => ({ text: `${path} ${NOT_FOUND}.` })),
    fileLines: limitLines(listFiles(files, describeFile)),
    facts: describeSpeed(downloaded, totals.downloadedBytes, result),
    outputs: { 'downloaded-count': String(downloaded), 'failed-count': String(failed) },
    json: { totals, files: files.map(fileJson), retries, durationMs },
  };
}

function countFiles(files: readonly DownloadedFile[]) {
  const count = (status: DownloadedFile['status']) =>
    files.filter(file => file.status === status).length;
  return {
    files: files.length,
    downloaded: count('downloaded'),
    missing: count('missing'),
    failed: count('failed'),
    notAttempted: count('not-attempted'),
    downloadedBytes: files.reduce(
      (sum, file) => sum + (file.status === 'downloaded' ? file.size : 0),
      0,
    ),
  };
}

function describeFile(file: DownloadedFile): string {
  const places = `${file.path} → ${file.target}`;
  return file.status === 'downloaded' ? `${places} (${formatBytes(file.size)})` : places;
}

function fileJson(file: DownloadedFile): object {
  return file.status === 'missing' ? { ...file, reason: `it ${NOT_FOUND}` } : file;
}
