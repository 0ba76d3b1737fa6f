import { realpathSync } from 'node:fs';
import { InputError, type Problem } from '../inputs/input-error.ts';
import { quote } from '../text/escape.ts';
import { formatCount, listSome } from '../text/format.ts';
import { deepestLinkIn, displayPath } from './paths.ts';

// Entries skipped for one of these reasons fail the step, after all patterns are searched.
export const LINK_TO_FOLDER = 'a link to a folder, with follow-symlinks not set';
export const LINK_OUTSIDE = 'a link out of the workspace';
export const LINK_TO_HIDDEN = 'a link to something hidden';

interface Skipped {
  readonly path: string;
  readonly reason: string;
}

const ARCHIVE = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml';

/** @throws InputError that names the links that users must decide about */
export function rejectLinks(skipped: readonly Skipped[], workspace: string): void {
  const pathsFor = (reason: string) =>
    skipped.filter(entry => entry.reason === reason).map(entry => entry.path);
  const toFolders = new Set(pathsFor(LINK_TO_FOLDER));
  const outside = new Set(pathsFor(LINK_OUTSIDE).map(deepestLinkIn));
  const toHidden = new Set(pathsFor(LINK_TO_HIDDEN).map(deepestLinkIn));
  const problems: Problem[] = [];
  if (toFolders.size > 0) {
    const links = `${formatCount(toFolders.size, 'link')} to folders: ${listLinks(toFolders, link => nameOf(link, workspace))}`;
    const message = `is not set, and the patterns match ${links}. Decide: true sends what they lead to, false skips them, a ! line in files excludes them. Send trees of links, such as pnpm's node_modules, as an archive: ${ARCHIVE}`;
    problems.push({ input: 'follow-symlinks', message });
  }
  const describe = (link: string) =>
    `${nameOf(link, workspace)} to ${nameOf(realpathSync.native(link), workspace)}`;
  if (outside.size > 0) {
    const message = `links lead outside the workspace: ${listLinks(outside, describe)}. Exclude them with ! lines, or copy what they lead to into the workspace.`;
    problems.push({ input: 'files', message });
  }
  if (toHidden.size > 0) {
    const links = listLinks(toHidden, describe);
    const pnpm = links.includes('/.pnpm/') ? ', or let pnpm install with node-linker=hoisted' : '';
    const message = `links lead to something hidden: ${links}. Exclude them with ! lines${pnpm}, or send an archive: ${ARCHIVE}`;
    problems.push({ input: 'files', message });
  }
  if (problems.length > 0) throw new InputError(problems);
}

const MAX_LINKS = 10;

function listLinks(links: ReadonlySet<string>, describe: (link: string) => string): string {
  return listSome(Array.from(links, describe), MAX_LINKS);
}

function nameOf(file: string, workspace: string): string {
  return quote(displayPath(file, workspace));
}
