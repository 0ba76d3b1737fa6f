import { BUFFER_BYTES } from '../agent/file.ts';
import { firstOf } from '../text/cut.ts';
import { formatCount, totalSize } from '../text/units.ts';
import { quote } from '../text/visible.ts';
import { ALL_HIDDEN } from '../upload/sources.ts';
import { moreInReport, type Report } from './report.ts';

/** A sentence on the files that were left out for their names, if there are any. */
export function hiddenLine({ hidden }: Report): string[] {
  if (hidden[0] === undefined) return [];
  const were = `${formatCount(hidden.length, 'hidden file')} ${hidden.length === 1 ? 'was' : 'were'} left out`;
  const { path, reason } = hidden.find(each => each.reason !== ALL_HIDDEN) ?? hidden[0];
  return [`${were}, such as ${quote(path)}: ${reason}.`];
}

const ARCHIVE = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml';

const MAX_NAMES = 10;

/** What is to be known of the files in the sandbox, though nothing failed. */
export function notices(report: Report): string[] {
  const { files, gone } = report;
  const programs = files.filter(({ status, file }) => file.isExecutable && status !== 'unchanged');
  const [program] = programs;
  const why =
    'Uploads carry no file modes, and new files are 0644 in the sandbox. Where modes matter, send an archive:';
  const places = firstOf(gone, MAX_NAMES, { show: quote, more: moreInReport }).join(', ');
  return [
    ...(program === undefined
      ? []
      : [`${are(programs, 'file')} executable, such as ${quote(program.file.source)}. ${why} ${ARCHIVE}`]),
    ...(gone.length === 0 ? [] : [`${are(gone, 'file')} no longer in the build but still in the sandbox: ${places}.`]),
    ...waits(report),
  ];
}

// Fewer files or shorter waits are no trouble, and faster than that it is the line that takes the time.
const MANY = 100;
const LONG_MS = 50;
const SLOW = 4 * 2 ** 20;

/** Where many small files went alone, most of them took longer than the bytes would, and the line had room. */
function waits({ files, mayShare, durationMs }: Report): string[] {
  const small = files.flatMap(each => (each.status === 'uploaded' && each.size <= BUFFER_BYTES ? [each] : []));
  const median = small.map(each => each.durationMs).sort((a, b) => a - b)[small.length >> 1] ?? 0;
  const isIdle = median >= LONG_MS && totalSize(small) / durationMs < SLOW / 1000;
  if (!mayShare || small.length < MANY || !isIdle) return [];
  const which = `${formatCount(small.length, 'small file')} went out one per request, and most of the time was spent waiting`;
  return [
    `${which}. If the service accepts several files per request, files-per-request: ${MANY} is several times as fast.`,
  ];
}

function are(items: readonly unknown[], noun: string): string {
  return `${formatCount(items.length, noun)} ${items.length === 1 ? 'is' : 'are'}`;
}
