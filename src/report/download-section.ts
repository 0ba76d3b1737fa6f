import type { DownloadedFile, DownloadResult } from '../download/download.ts';
import { formatBytes } from '../text/format.ts';
import type { RenderedSection } from './section.ts';
import { counterOf, describeDone, listCounts, renderTransfer } from './transfer-lines.ts';

export function renderDownload(result: DownloadResult): RenderedSection {
  const { files, ifNoFilesFound, ...others } = result;
  const totals = totalsOf(files);
  const { downloaded, missing, failed, notAttempted } = totals;
  const missed = listCounts({ failed, missing, 'not attempted': notAttempted });
  const warned = files.filter(({ status }) => status === 'missing' && ifNoFilesFound === 'warn');
  const transferred = { done: downloaded, bytes: totals.downloadedBytes, wanted: files.length };
  return {
    ...renderTransfer(files, {
      sentence: `${describeDone('Downloaded', { ...transferred, ...others })}${missed}.`,
      nameOf: ({ path }) => path,
      describe: describeFile,
    }),
    warnings: warned.map(({ path }) => ({ text: `${path} does not exist in the sandbox.` })),
    outputs: { 'downloaded-count': String(downloaded), 'failed-count': String(failed) },
    json: { ...others, totals, files },
  };
}

function totalsOf(files: readonly DownloadedFile[]) {
  const { count, bytes } = counterOf(files, file => (file.status === 'downloaded' ? file.size : 0));
  return {
    files: files.length,
    downloaded: count('downloaded'),
    missing: count('missing'),
    failed: count('failed'),
    notAttempted: count('not-attempted'),
    downloadedBytes: bytes('downloaded'),
  };
}

function describeFile(file: DownloadedFile): string {
  const places = `${file.path} → ${file.target}`;
  return file.status === 'downloaded' ? `${places} (${formatBytes(file.size)})` : places;
}
