import { inlineCode } from '../text/escape.ts';
import { formatBytes, formatCount, formatNumber, listSome } from '../text/format.ts';
import type { UploadResult } from '../upload/upload.ts';
import { checksumsOf, isStored, type UploadRow } from '../upload/uploaded-file.ts';
import type { RenderedSection } from './section.ts';
import { counterOf, describeDone, listCounts, renderTransfer } from './transfer-lines.ts';

export function renderUpload(result: UploadResult, cancelled: boolean): RenderedSection {
  const { warnings, ...others } = result;
  const { files, skipped, digest, shard, orphaned } = others;
  const totals = totalsOf(files, skipped.length);
  const suffix = shard === undefined ? '' : ` (shard ${shard.index} of ${shard.count})`;
  const words = `${describeUpload(result, totals, cancelled)}${suffix}`;
  const transfer = renderTransfer(words, files, { nameOf, placeOf }, cancelled);
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

const nameOf = ({ source }: UploadRow) => source;
const placeOf = (row: UploadRow) => (isStored(row) ? row.path : row.target);

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
  if (cancelled)
    return `cancelled: ${formatNumber(uploaded)} of ${formatCount(wanted, 'file')} were uploaded`;
  if (files === 0) return 'there were no files to upload';
  const unsent = listCounts({ unchanged, skipped });
  if (dryRun) {
    const size = formatBytes(totals.plannedBytes);
    return `dry run: ${formatCount(planned, 'file')} (${size}) would be uploaded${unsent}`;
  }
  if (uploaded + failed === 0) return `nothing was sent${unsent}`;
  const bytes = totals.uploadedBytes;
  const done = describeDone('uploaded', { done: uploaded, bytes, wanted, durationMs });
  return `${done}${listCounts({ failed, 'not attempted': notAttempted })}${unsent}`;
}
