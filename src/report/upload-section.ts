import { inlineCode } from '../text/escape.ts';
import { formatBytes, formatCount, listSome } from '../text/format.ts';
import type { UploadResult } from '../upload/upload.ts';
import { checksumsOf, isStored } from '../upload/uploaded-file.ts';
import type { RenderedSection } from './section.ts';
import {
  counterOf,
  describeDone,
  listCounts,
  renderTransfer,
  type TransferredFile,
} from './transfer-lines.ts';

export function renderUpload(result: UploadResult, cancelled: boolean): RenderedSection {
  const { files, warnings, ...others } = result;
  const { skipped, digest, shard, orphaned } = others;
  const transferred = files.map(each => {
    const { source, target, size } = each.file;
    return { ...each, name: source, place: isStored(each) ? each.path : target, size };
  });
  const totals = totalsOf(transferred, skipped.length);
  const suffix = shard === undefined ? '' : ` (shard ${shard.index} of ${shard.count})`;
  const sentence = `${describeUpload(result, totals, cancelled)}${suffix}.`;
  const transfer = renderTransfer(sentence, transferred);
  const orphans = listSome(orphaned.map(inlineCode));
  return {
    ...transfer,
    warnings: warnings.map(text => ({ text })),
    fileLines: [
      ...transfer.fileLines,
      ...skipped.map(({ path, reason }) => `skipped: ${path} (${reason})`),
    ],
    facts: [
      ...(orphans === '' ? [] : [`Still in the sandbox, but no longer in the build: ${orphans}`]),
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
    attachments: { checksums: checksumsOf(files) },
    json: {
      ...others,
      totals,
      files: files.map(({ file: { source, target, size }, ...outcome }) => {
        return { source, target, size, ...outcome };
      }),
    },
  };
}

function totalsOf(files: readonly TransferredFile[], skipped: number) {
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
  if (files === 0) return cancelled ? 'Nothing was sent' : 'There were no files to upload';
  const unsent = listCounts({ unchanged, skipped });
  if (dryRun) {
    const size = formatBytes(totals.plannedBytes);
    return `Dry run: ${formatCount(planned, 'file')} (${size}) would be uploaded${unsent}`;
  }
  if (uploaded + failed === 0) return `Nothing was sent${unsent}`;
  const [wanted, bytes] = [files - unchanged, totals.uploadedBytes];
  const done = describeDone('Uploaded', { done: uploaded, bytes, wanted, durationMs });
  return `${done}${listCounts({ failed, 'not attempted': notAttempted })}${unsent}`;
}
