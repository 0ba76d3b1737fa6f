import { realpathSync } from 'node:fs';
import { InputError, type Problem } from '../inputs/input-error.ts';
import { quote } from '../text/escape.ts';
import { listSome } from '../text/format.ts';
import { deepestLinkIn, displayPath } from './paths.ts';

// Entries skipped for one of these reasons fail the step, after all patterns are searched.
export const LINK_TO_FOLDER = 'a link to a folder, with follow-symlinks not set';
export const LINK_OUTSIDE = 'a link out of the workspace';
export const LINK_TO_HIDDEN = 'a link to something hidden';

interface Skipped {
  readonly path: string;
  readonly reason: string;
}

const MAX_LINKS = 10;
const ARCHIVE = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml';

/** @throws InputError that names the links that users must decide about */
export function rejectLinks(skipped: readonly Skipped[], workspace: string): void {
  const nameOf = (file: string) => quote(displayPath(file, workspace));
  const describe = (link: string) => `${nameOf(link)} to ${nameOf(realpathSync.native(link))}`;
  const linksFor = (reason: string, toText: (link: string) => string) => {
    const entries = skipped.filter(entry => entry.reason === reason);
    const links = new Set(entries.map(entry => deepestLinkIn(entry.path)));
    return listSome(Array.from(links, toText), MAX_LINKS);
  };
  const toFolders = linksFor(LINK_TO_FOLDER, nameOf);
  const outside = linksFor(LINK_OUTSIDE, describe);
  const toHidden = linksFor(LINK_TO_HIDDEN, describe);
  const problems: Problem[] = [];
  const add = (input: string, message: string) => void problems.push({ input, message });
  if (toFolders !== '')
    add(
      'follow-symlinks',
      `is not set, and the patterns match links to folders: ${toFolders}. Decide: true sends what they lead to, false skips them, a ! line in files excludes them. Send trees of links, such as pnpm's node_modules, as an archive: ${ARCHIVE}`,
    );
  if (outside !== '')
    add(
      'files',
      `links lead outside the workspace: ${outside}. Exclude them with ! lines, or copy what they lead to into the workspace.`,
    );
  const pnpm = toHidden.includes('/.pnpm/') ? ', or let pnpm install with node-linker=hoisted' : '';
  if (toHidden !== '')
    add(
      'files',
      `links lead to something hidden: ${toHidden}. Exclude them with ! lines${pnpm}, or send an archive: ${ARCHIVE}`,
    );
  if (problems.length > 0) throw new InputError(problems);
}
