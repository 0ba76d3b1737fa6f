import path from 'node:path';
import type { SkippedEntry } from '../files/find.ts';
import type { Shard } from '../inputs/parsers.ts';
import { inlineCode } from '../text/escape.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  limitList,
  moreInReport,
  totalSize,
} from '../text/format.ts';
import type { FileResult } from '../transfer/transfer.ts';
import { checksumsOf } from './checksums.ts';
import { code, folded, type Html, html, prose, shortList } from './html.ts';
import type { ReportHeader } from './report.ts';
import { clause, describeTransfer, explainMissing } from './transfer-lines.ts';
import type { SectionView } from './verdict.ts';

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

export function viewUpload(section: UploadSection, info: ReportHeader): SectionView {
  const { files, digest, shard } = section;
  const totals = countFiles(section);
  const notices = [...modesNotice(section), ...orphansNotice(section)];
  const transferLine = describeTransfer(totals.uploaded, totals.uploadedBytes, section);
  return {
    level: uploadLevel(section, totals),
    headline: `${describeUpload(section, totals, info)}${shard ? ` (${nameShard(shard)})` : ''}`,
    ...explainMissing(files, ({ file }) => file.source, info),
    notices,
    logLines: [...transferLine, ...(digest === '' ? [] : [`Digest: ${digest}`])],
    outputs: uploadOutputs(totals, digest),
    files: [{ output: 'checksums', name: 'checksums.txt', text: checksumsOf(files) }],
    blocks: uploadBlocks(section, notices, transferLine),
    json: { totals, ...section, files: files.map(fileEntry) },
  };
}

type Totals = ReturnType<typeof countFiles>;

function countFiles({ files, skipped }: UploadSection) {
  const filesWith = (wanted: FileResult['status']) =>
    files.filter(({ status }) => status === wanted).map(({ file }) => file);
  const [uploaded, unchanged] = [filesWith('uploaded'), filesWith('unchanged')];
  return {
    planned: files.length,
    plannedBytes: totalSize(files.map(({ file }) => file)),
    uploaded: uploaded.length,
    uploadedBytes: totalSize(uploaded),
    unchanged: unchanged.length,
    unchangedBytes: totalSize(unchanged),
    failed: filesWith('failed').length,
    skipped: filesWith('skipped').length + skipped.length,
    notAttempted: filesWith('not-attempted').length,
  };
}

function uploadLevel({ shard }: UploadSection, totals: Totals): SectionView['level'] {
  if (totals.failed + totals.notAttempted > 0) return 'failure';
  return totals.planned === 0 && !shard?.planned ? 'warning' : 'success';
}

function describeUpload(
  { dryRun, durationMs, skipped }: UploadSection,
  totals: Totals,
  { errors, cancelled }: ReportHeader,
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

function nameShard({ index, count }: Shard): string {
  return `shard ${index} of ${count}`;
}

export function describeShard(shard: ReportedShard): string {
  return `${nameShard(shard)}: ${formatNumber(shard.files)} of ${formatCount(shard.planned, 'file')}`;
}

const ARCHIVE = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml';

function modesNotice({ files }: UploadSection): string[] {
  const programs = files.filter(({ status, file }) => file.isExecutable && status !== 'unchanged');
  const [program] = programs;
  if (program === undefined) return [];
  const count = formatCount(programs.length, 'executable file');
  return [
    `${count}, such as ${inlineCode(program.file.source)}: uploads carry no file modes, and new files are 0644 in the sandbox. Where modes matter, set them in a step with the action \`run\`, such as \`run: chmod +x app/server\`, or send an archive: ${ARCHIVE}`,
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

function uploadBlocks(
  { files, skipped, digest }: UploadSection,
  notices: readonly string[],
  transferLine: readonly string[],
): Html[] {
  return [
    ...shortList(describePlanned(files)),
    ...transferLine.map(line => html`<p>${line}</p>`),
    ...folded(formatCount(notices.length, 'notice'), shortList(notices.map(prose))),
    ...folded(
      `${formatNumber(skipped.length)} skipped`,
      shortList(skipped.map(entry => html`${code(entry.path)}: ${entry.reason}`)),
    ),
    ...(digest === '' ? [] : [html`<p>Digest: ${code(digest)}</p>`]),
  ];
}

/** Says by folder what a dry run would upload; the log lists each file. */
function describePlanned(files: readonly FileResult[]): Html[] {
  const planned = files.filter(({ status }) => status === 'skipped').map(({ file }) => file);
  const folders = Map.groupBy(planned, ({ source, target }) =>
    [source, target].map(file => inlineCode(path.posix.dirname(file))).join(' → '),
  );
  return [...folders].map(([folder, inFolder]) =>
    prose(
      `${folder}: ${formatCount(inFolder.length, 'file')}, ${formatBytes(totalSize(inFolder))}`,
    ),
  );
}
