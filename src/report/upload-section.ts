import type { SkippedEntry } from '../files/find.ts';
import type { Shard } from '../inputs/parsers.ts';
import { inlineCode } from '../text/escape.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatRate,
  limitList,
  moreInReport,
} from '../text/format.ts';
import type { FileResult } from '../transfer/transfer.ts';
import { checksumsOf } from './checksums.ts';
import type { TaskInfo } from './report.ts';
import type { FailureGroup, SectionView } from './section-view.ts';
import { uploadBlocks } from './upload-blocks.ts';

export interface UploadSection {
  readonly dryRun: boolean;
  readonly shard: ReportedShard | undefined;
  /** In plan order. */
  readonly files: readonly FileResult[];
  readonly skipped: readonly SkippedEntry[];
  /** Empty if a file failed or was not hashed. */
  readonly digest: string;
  /** Paths in the sandbox of files that have left the build, according to the state file. */
  readonly orphaned: readonly string[];
  readonly retries: number;
  readonly durationMs: number;
}

interface ReportedShard extends Shard {
  readonly files: number;
  readonly planned: number;
}

export const EMPTY_UPLOAD: UploadSection = {
  dryRun: false,
  shard: undefined,
  files: [],
  skipped: [],
  digest: '',
  orphaned: [],
  retries: 0,
  durationMs: 0,
};

export function viewUpload(section: UploadSection, info: TaskInfo): SectionView {
  const { digest, shard } = section;
  const totals = countFiles(section);
  const failures = describeFailures(section);
  const notices = [...modesNotice(section), ...orphansNotice(section)];
  const transferLine = describeTransfer(section, totals);
  const digestLine = digest === '' ? [] : [`Digest: ${digest}`];
  return {
    level: uploadLevel(section, totals),
    headline: `${describeUpload(section, totals, info)}${shard ? ` (${nameShard(shard)})` : ''}`,
    judgement: '',
    reasons: notAttemptedReasons(section, info).map(text => ({ text, isUntrusted: true })),
    failures,
    warnings: [],
    notices,
    logLines: transferLine === '' ? digestLine : [transferLine, ...digestLine],
    outputs: uploadOutputs(totals, digest),
    files: { checksums: { name: 'checksums.txt', text: checksumsOf(section.files) } },
    blocks: uploadBlocks(section, notices, transferLine),
    json: { totals, ...section, files: section.files.map(fileEntry) },
  };
}

type Totals = ReturnType<typeof countFiles>;

function countFiles({ files, skipped }: UploadSection) {
  const totals = {
    planned: files.length,
    plannedBytes: 0,
    uploaded: 0,
    unchanged: 0,
    unchangedBytes: 0,
    failed: 0,
    skipped: skipped.length,
    notAttempted: 0,
    uploadedBytes: 0,
  };
  for (const { status, file } of files) {
    totals[status === 'not-attempted' ? 'notAttempted' : status] += 1;
    totals.plannedBytes += file.size;
    if (status === 'unchanged') totals.unchangedBytes += file.size;
    if (status === 'uploaded') totals.uploadedBytes += file.size;
  }
  return totals;
}

function uploadLevel({ shard }: UploadSection, totals: Totals): SectionView['level'] {
  if (totals.failed + totals.notAttempted > 0) return 'failure';
  return totals.planned === 0 && !shard?.planned ? 'warning' : 'success';
}

function describeUpload(
  { dryRun, durationMs, skipped }: UploadSection,
  totals: Totals,
  { errors, cancelled }: TaskInfo,
): string {
  const { planned, unchanged, uploaded, failed, notAttempted } = totals;
  const unsent = `${clause(unchanged, 'unchanged')}${clause(skipped.length, 'skipped')}`;
  const changed = formatCount(planned - unchanged, 'file');
  if (planned === 0)
    return errors.length > 0 || cancelled ? 'Nothing was sent' : 'There were no files to upload';
  if (dryRun) {
    const size = formatBytes(totals.plannedBytes - totals.unchangedBytes);
    return `Dry run: ${changed} (${size}) would be uploaded${unsent}`;
  }
  if (uploaded + failed === 0) return `Nothing was sent${unsent}`;
  if (failed + notAttempted === 0)
    return `Uploaded ${changed} in ${formatDuration(durationMs)}${unsent}`;
  const missing = `${clause(failed, 'failed')}${clause(notAttempted, 'not attempted')}`;
  return `Uploaded ${formatNumber(uploaded)} of ${changed}${missing}${unsent}`;
}

function clause(count: number, what: string): string {
  return count === 0 ? '' : `, ${formatNumber(count)} ${what}`;
}

function nameShard({ index, count }: Shard): string {
  return `shard ${index} of ${count}`;
}

export function describeShard(shard: ReportedShard): string {
  return `${nameShard(shard)}: ${formatNumber(shard.files)} of ${formatCount(shard.planned, 'file')}`;
}

function describeTransfer({ retries, durationMs }: UploadSection, totals: Totals): string {
  const { uploaded, uploadedBytes } = totals;
  if (uploaded === 0) return '';
  // Below a second, the rate says more about latency than about the network.
  const rate = durationMs < 1000 ? '' : `, ${formatRate(uploadedBytes, durationMs)}`;
  const repeated = clause(retries, retries === 1 ? 'retry' : 'retries');
  return `${formatCount(uploaded, 'file')}, ${formatBytes(uploadedBytes)}${rate}${repeated}`;
}

// An error of the step, or its cancellation, already explains why files were not attempted.
function notAttemptedReasons({ files }: UploadSection, { errors, cancelled }: TaskInfo): string[] {
  if (errors.length > 0 || cancelled) return [];
  const reasons = files.flatMap(file => (file.status === 'not-attempted' ? [file.reason] : []));
  return [...new Set(reasons)].map(reason => `Not attempted: ${reason}`);
}

type FailedFile = Extract<FileResult, { readonly status: 'failed' }>;

/** Groups failed files by status and hint, since messages differ from file to file. */
export function groupFailures(files: readonly FileResult[]): FailedFile[][] {
  const failed = files.filter(result => result.status === 'failed');
  const groups = Map.groupBy(failed, ({ error }) => `${error.status} ${error.hint}`);
  return [...groups.values()].sort((one, other) => other.length - one.length);
}

function describeFailures({ files }: UploadSection): FailureGroup[] {
  // The headline already says that the job was cancelled.
  const failed = files.filter(file => file.status !== 'failed' || file.error.kind !== 'cancelled');
  return groupFailures(failed).map(group => ({
    message: group[0]?.error.message ?? '',
    hint: group[0]?.error.hint ?? '',
    sources: group.map(({ file }) => file.source),
  }));
}

const ARCHIVE = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml';

function modesNotice({ files }: UploadSection): string[] {
  const programs = files.filter(({ status, file }) => file.isExecutable && status !== 'unchanged');
  const [program] = programs;
  if (program === undefined) return [];
  const count = formatCount(programs.length, 'executable file');
  return [
    `${count}, such as ${inlineCode(program.file.source)}: uploads carry no file modes, and new files are 0644 in the sandbox. Where modes matter, send an archive: ${ARCHIVE}`,
  ];
}

const MAX_ORPHANS = 10;

function orphansNotice({ orphaned }: UploadSection): string[] {
  if (orphaned.length === 0) return [];
  const names = limitList(orphaned.map(inlineCode), MAX_ORPHANS, moreInReport);
  return [`Still in the sandbox, but no longer in the build: ${names.join(', ')}`];
}

function uploadOutputs(totals: Totals, digest: string): Record<string, string> {
  const { uploaded, unchanged, failed, skipped, uploadedBytes } = totals;
  return {
    'uploaded-count': String(uploaded),
    'unchanged-count': String(unchanged),
    'failed-count': String(failed),
    'skipped-count': String(skipped),
    'uploaded-bytes': String(uploadedBytes),
    digest,
  };
}

function fileEntry({ file, ...result }: FileResult): object {
  const { source, target, size } = file;
  return { source, target, size, ...result };
}
