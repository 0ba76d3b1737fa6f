import { firstOf } from '../text/cut.ts';
import { formatCount } from '../text/units.ts';
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
export function notices({ files, gone }: Report): string[] {
  const programs = files.filter(({ status, file }) => file.isExecutable && status !== 'unchanged');
  const [program] = programs;
  const why = 'An upload carries no modes, and new files are 0644 in the sandbox. Where modes matter, send an archive:';
  const places = firstOf(gone, MAX_NAMES, { show: quote, more: moreInReport }).join(', ');
  return [
    ...(program === undefined
      ? []
      : [`${are(programs, 'file')} executable here, such as ${quote(program.file.source)}. ${why} ${ARCHIVE}`]),
    ...(gone.length === 0 ? [] : [`${are(gone, 'file')} no longer in the build and still in the sandbox: ${places}.`]),
  ];
}

function are(items: readonly unknown[], noun: string): string {
  return `${formatCount(items.length, noun)} ${items.length === 1 ? 'is' : 'are'}`;
}
