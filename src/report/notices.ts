import { SMALL_BYTES } from '../agent/read-file.ts';
import { ALL_HIDDEN } from '../files/find.ts';
import { abbreviate, formatCount, totalSize } from '../text/format.ts';
import { quote } from '../text/visible.ts';
import { moreInReport, type Report } from './report.ts';

/** A sentence on the hidden files that were skipped, if there are any. */
export function hiddenNotice({ hidden }: Report): string[] {
  const example = hidden.find(({ reason }) => reason !== ALL_HIDDEN) ?? hidden[0];
  if (example === undefined) return [];
  const were = `${formatCount(hidden.length, 'hidden file')} ${hidden.length === 1 ? 'was' : 'were'} skipped`;
  return [`${were}, such as ${quote(example.path)}: ${example.reason}.`];
}

/** What to know about the files in the sandbox, although nothing failed. */
export function notices(report: Report): string[] {
  return [...modesNotice(report), ...orphansNotice(report), ...batchNotice(report)];
}

const ARCHIVE = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml';

function modesNotice({ files }: Report): string[] {
  const programs = files.filter(({ status, file }) => file.isExecutable && status !== 'unchanged');
  const [program] = programs;
  if (program === undefined) return [];
  const why =
    'Uploads carry no file modes, and new files are 0644 in the sandbox. Where modes matter, send an archive:';
  return [
    `${countAre(programs)} executable, such as ${quote(program.file.source)}. ${why} ${ARCHIVE}`,
  ];
}

const MAX_NAMES = 10;

function orphansNotice({ orphaned }: Report): string[] {
  if (orphaned.length === 0) return [];
  const paths = abbreviate(orphaned, MAX_NAMES, { show: quote, more: moreInReport }).join(', ');
  return [`${countAre(orphaned)} no longer in the build but still in the sandbox: ${paths}.`];
}

function countAre(files: readonly unknown[]): string {
  return `${formatCount(files.length, 'file')} ${files.length === 1 ? 'is' : 'are'}`;
}

// Otherwise batches gain little; above 4 MiB/s, the bandwidth takes the time.
const MANY = 100;
const LONG_MS = 50;
const SLOW_BYTES_PER_MS = (4 * 2 ** 20) / 1000;

/** Suggests batches if many small files mostly waited for answers while the bandwidth was idle. */
function batchNotice({ files, couldBatch, durationMs }: Report): string[] {
  const small = files
    .filter(result => result.status === 'uploaded')
    .filter(({ size }) => size <= SMALL_BYTES);
  const times = small.map(result => result.durationMs).sort((a, b) => a - b);
  const median = times[times.length >> 1] ?? 0;
  const isIdle = median >= LONG_MS && totalSize(small) / durationMs < SLOW_BYTES_PER_MS;
  if (!couldBatch || small.length < MANY || !isIdle) return [];
  const which = `${formatCount(small.length, 'small file')} went out one per request`;
  return [
    `${which}, and most of the time was spent waiting. If the service accepts several files per request, files-per-request: ${MANY} is several times as fast.`,
  ];
}
