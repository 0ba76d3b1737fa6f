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

/** What is to be known of the files in the sandbox, though nothing failed. */
export function notices({ files, gone }: Report): string[] {
  return [...executables(files), ...leftovers(gone)];
}

const MAX_NAMES = 10;

const ARCHIVE = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml';

function executables(files: Report['files']): string[] {
  const [first, ...others] = files.filter(({ status, file }) => file.isExecutable && status !== 'unchanged');
  if (first === undefined) return [];
  const which = `${formatCount(others.length + 1, 'file')} ${others.length === 0 ? 'is' : 'are'} executable`;
  const why = 'Uploads carry no file modes, and new files are 0644 in the sandbox';
  return [`${which}, such as ${quote(first.file.source)}. ${why}. Where modes matter, send an archive: ${ARCHIVE}`];
}

function leftovers(gone: Report['gone']): string[] {
  if (gone.length === 0) return [];
  const names = firstOf(gone, MAX_NAMES, { show: quote, more: moreInReport });
  const which = `${formatCount(gone.length, 'file')} ${gone.length === 1 ? 'is' : 'are'}`;
  return [`${which} no longer in the build but still in the sandbox: ${names.join(', ')}.`];
}
