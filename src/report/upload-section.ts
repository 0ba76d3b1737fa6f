import { inlineCode } from '../text/escape.ts';
import { formatBytes, formatCount, formatNumber, listSome, totalSize } from '../text/format.ts';
import type { UploadResult } from '../upload/upload.ts';
import { checksumsOf, isStored, type UploadedFile } from '../upload/uploaded-file.ts';
import { code, folded, html } from './html.ts';
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

export function renderUpload(result: UploadResult, cancelled: boolean): RenderedSection {
  const { files, skipped, digest, shard, orphaned, warnings } = result;
  const totals = countFiles(result);
  const suffix = shard === undefined ? '' : ` (shard ${shard.index} of ${shard.count})`;
  const isEmpty = files.length === 0 && !shard?.allFiles;
  return {
    level: levelOf(totals, isEmpty && warnings.length > 0),
    ...outcomeOf(totals, `${describeUpload(result, totals, cancelled)}${suffix}`),
    fileFailures: explainFailedFiles(files, ({ file }) => file.source),
    warnings: warnings.map(text => ({ text })),
    notices: orphansNotice(orphaned),
    fileLines: listLines(result),
    facts: [
      ...describeSpeed(totals.uploaded, totals.uploadedBytes, result),
      ...(digest === '' ? [] : [`Digest: ${digest}`]),
    ],
    outputs: {
      'uploaded-count': String(totals.uploaded),
      'unchanged-count': String(totals.unchanged),
      'failed-count': String(totals.failed),
      'planned-count': String(totals.planned),
      'skipped-count': String(totals.skipped),
      'uploaded-bytes': String(totals.uploadedBytes),
      digest,
    },
    checksums: checksumsOf(files),
    blocks: folded(
      `${formatNumber(skipped.length)} skipped`,
      skipped.map(entry => html`${code(entry.path)}: ${entry.reason}`),
    ),
    json: jsonOf(result, totals),
  };
}

function countFiles({ files, skipped }: UploadResult) {
  const filesWith = (status: UploadedFile['status']) =>
    files.filter(file => file.status === status).map(({ file }) => file);
  const [uploaded, unchanged] = [filesWith('uploaded'), filesWith('unchanged')];
  const planned = filesWith('planned');
  return {
    files: files.length,
    uploaded: uploaded.length,
    uploadedBytes: totalSize(uploaded),
    unchanged: unchanged.length,
    unchangedBytes: totalSize(unchanged),
    planned: planned.length,
    plannedBytes: totalSize(planned),
    failed: filesWith('failed').length,
    notAttempted: filesWith('not-attempted').length,
    skipped: skipped.length,
  };
}

function describeUpload(
  { dryRun, durationMs }: UploadResult,
  totals: ReturnType<typeof countFiles>,
  cancelled: boolean,
): string {
  const { files, unchanged, uploaded, planned, failed, notAttempted, skipped } = totals;
  if (files === 0) return cancelled ? 'Nothing was sent' : 'There were no files to upload';
  const unsent = listCounts({ unchanged, skipped });
  if (dryRun) {
    const size = formatBytes(totals.plannedBytes);
    return `Dry run: ${formatCount(planned, 'file')} (${size}) would be uploaded${unsent}`;
  }
  if (uploaded + failed === 0) return `Nothing was sent${unsent}`;
  const others = `${listCounts({ failed, 'not attempted': notAttempted })}${unsent}`;
  return describeDone('Uploaded', uploaded, files - unchanged, durationMs, others);
}

function listLines({ files, skipped, dryRun }: UploadResult): string[] {
  const lines = listFiles(files, result => {
    const { source, target } = result.file;
    return `${source} → ${isStored(result) ? result.path : target}`;
  });
  const skippedLines = skipped.map(({ path: source, reason }) => `skipped: ${source} (${reason})`);
  return [...(dryRun ? lines : limitLines(lines)), ...limitLines(skippedLines)];
}

function orphansNotice(orphaned: readonly string[]): string[] {
  if (orphaned.length === 0) return [];
  return [
    `Still in the sandbox, but no longer in the build: ${listSome(orphaned.map(inlineCode))}`,
  ];
}

function jsonOf(result: UploadResult, totals: object): object {
  const { dryRun, shard, files, skipped, digest, orphaned, retries, durationMs } = result;
  return {
    dryRun,
    shard,
    totals,
    files: files.map(({ file: { source, target, size }, ...outcome }) => {
      return { source, target, size, ...outcome };
    }),
    skipped,
    digest,
    orphaned,
    retries,
    durationMs,
  };
}
