import type { DownloadResult, DownloadRow } from '../download/download.ts';
import { findMistake } from '../inputs/mistakes.ts';
import { inlineCode } from '../text/escape.ts';
import { formatBytes, formatCount, formatNumber } from '../text/format.ts';
import type { RenderedSection } from './section.ts';
import { counterOf, describeDone, listCounts, renderTransfer } from './transfer-lines.ts';

export function renderDownload(result: DownloadResult, cancelled: boolean): RenderedSection {
  const { ifNoFilesFound, ...others } = result;
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
  const done = describeDone('downloaded', { ...counts, ...others });
  const missed = listCounts({ failed, missing, 'not attempted': notAttempted });
  const words = cancelled
    ? `cancelled: ${formatNumber(downloaded)} of ${formatCount(files.length, 'file')} were downloaded`
    : `${done}${missed}`;
  const warned = files.filter(({ status }) => status === 'missing' && ifNoFilesFound === 'warn');
  return {
    ...renderTransfer(words, files, { nameOf, placeOf }, cancelled),
    warnings: warned.map(({ path }) => {
      const mistake = findMistake('missing-file', path);
      const advice = mistake === undefined ? '' : ` It ${mistake}`;
      return `${inlineCode(path)} does not exist in the sandbox.${advice}`;
    }),
    outputs: { 'downloaded-count': String(downloaded), 'failed-count': String(failed) },
    json: { ...others, totals },
  };
}

const nameOf = (row: DownloadRow) => row.path;

function placeOf(row: DownloadRow): string {
  return row.status === 'downloaded' ? `${row.target} (${formatBytes(row.size)})` : row.target;
}
