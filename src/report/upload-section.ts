import { hash } from 'node:crypto';
import type { SkippedEntry } from '../files/find.ts';
import type { Shard } from '../inputs/parsers.ts';
import { inlineCode } from '../text/escape.ts';
import { formatBytes, formatCount, formatNumber, listSome, totalSize } from '../text/format.ts';
import type { FileResult } from '../upload/upload-files.ts';
import { code, folded, html } from './html.ts';
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

export interface UploadSection {
  readonly dryRun: boolean;
  readonly shard: (Shard & Readonly<Record<'files' | 'planned', number>>) | undefined;
  /** In plan order. */
  readonly files: readonly FileResult[];
  readonly skipped: readonly SkippedEntry[];
  /** Empty if there are no files, or if one failed or was not hashed. */
  readonly digest: string;
  /** Paths in the sandbox of files that have left the build, according to the state file. */
  readonly orphaned: readonly string[];
  readonly retries: number;
  readonly durationMs: number;
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

export function viewUpload(section: UploadSection, report: Report): SectionView {
  const { files, skipped, digest, shard } = section;
  const totals = countFiles(section);
  const suffix = shard === undefined ? '' : ` (shard ${shard.index} of ${shard.count})`;
  return {
    level: levelOf(totals, files.length === 0 && !shard?.planned, report),
    headline: `${describeUpload(section, totals, report)}${suffix}`,
    ...explainFailedFiles(files, report),
    notices: [...modesNotice(section), ...orphansNotice(section)],
    fileLines: listLines(section),
    logLines: [
      ...describeSpeed(totals.uploaded, totals.uploadedBytes, section),
      ...(digest === '' ? [] : [`Digest: ${digest}`]),
    ],
    outputs: {
      'uploaded-count': String(totals.uploaded),
      'unchanged-count': String(totals.unchanged),
      'failed-count': String(totals.failed),
      'skipped-count': String(totals.skipped),
      'uploaded-bytes': String(totals.uploadedBytes),
      digest,
    },
    checksums: checksumsOf(files),
    blocks: folded(
      `${formatNumber(skipped.length)} skipped`,
      skipped.map(entry => html`${code(entry.path)}: ${entry.reason}`),
    ),
    json: {
      totals,
      ...section,
      files: files.map(({ file: { source, target, size }, ...result }) => {
        return { source, target, size, ...result };
      }),
    },
  };
}

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

function describeUpload(
  { dryRun, durationMs, skipped }: UploadSection,
  totals: ReturnType<typeof countFiles>,
  { errors, cancelled }: Report,
): string {
  const { planned, unchanged, uploaded, failed, notAttempted } = totals;
  if (planned === 0)
    return errors.length > 0 || cancelled ? 'Nothing was sent' : 'There were no files to upload';
  const unsent = listCounts({ unchanged, skipped: skipped.length });
  if (dryRun) {
    const size = formatBytes(totals.plannedBytes - totals.unchangedBytes);
    return `Dry run: ${formatCount(planned - unchanged, 'file')} (${size}) would be uploaded${unsent}`;
  }
  if (uploaded + failed === 0) return `Nothing was sent${unsent}`;
  const others = `${listCounts({ failed, 'not attempted': notAttempted })}${unsent}`;
  return describeDone('Uploaded', uploaded, planned - unchanged, durationMs, others);
}

function listLines({ files, skipped, dryRun }: UploadSection): string[] {
  const lines = listFiles(files, result => {
    const { source, target } = result.file;
    return `${source} → ${'path' in result ? result.path : target}`;
  });
  const skippedLines = skipped.map(({ path: source, reason }) => `skipped: ${source} (${reason})`);
  return [...(dryRun ? lines : limitLines(lines)), ...limitLines(skippedLines)];
}

/** Lists checksums of stored files like `sha256sum`, with the paths that the agent returned. */
function checksumsOf(files: readonly FileResult[]): string {
  return files
    .flatMap(result => ('path' in result ? checksumLine(result.sha256, result.path) : []))
    .join('');
}

/**
 * Hashes the sorted checksum lines of all targets. Returns '' if there are no files, or if one
 * failed or was not hashed: only a complete build has a digest.
 */
export function digestOf(files: readonly FileResult[]): string {
  const lines = files.flatMap(result =>
    'sha256' in result ? checksumLine(result.sha256, result.file.target) : [],
  );
  if (lines.length === 0 || lines.length < files.length) return '';
  // Compare bytes, not UTF-16, so that users can reproduce the digest with `LC_ALL=C sort`.
  const sorted = lines.map(line => Buffer.from(line)).sort((one, other) => one.compare(other));
  return `sha256:${hash('sha256', Buffer.concat(sorted))}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

function checksumLine(sha256: string | undefined, name: string): string[] {
  if (sha256 === undefined) return [];
  const escaped = name.replaceAll(/[\\\n\r]/g, character => ESCAPES[character] ?? character);
  // sha256sum marks an escaped name with a leading backslash.
  return [`${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`];
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

function orphansNotice({ orphaned }: UploadSection): string[] {
  if (orphaned.length === 0) return [];
  return [
    `Still in the sandbox, but no longer in the build: ${listSome(orphaned.map(inlineCode))}`,
  ];
}
