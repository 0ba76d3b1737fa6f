import { readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Problem } from '../inputs/input-error.ts';
import { findMistake } from '../inputs/mistakes.ts';
import { quote } from '../text/escape.ts';
import { listSome } from '../text/format.ts';
import type { Matches, SkippedEntry } from './find.ts';
import { deepestExisting, deepestLinkIn, displayPath, pathWithin, statIfExists } from './paths.ts';

// Entries that are skipped for one of these reasons fail the step.
export const LINK_TO_FOLDER = 'a link to a folder, with follow-symlinks not set';
export const LINK_OUTSIDE = 'a link out of the workspace';
export const LINK_TO_HIDDEN = 'a link to something hidden';

const ARCHIVE = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml';

const MAX_LINKS = 10;

/** Returns a problem for each kind of link that fails the step, which names the links. */
export function findLinkProblems(skipped: readonly SkippedEntry[], workspace: string): Problem[] {
  const nameOf = (file: string) => quote(displayPath(file, workspace));
  const withTarget = (link: string) => `${nameOf(link)} to ${nameOf(realpathSync.native(link))}`;
  const list = (reason: string, describe: (link: string) => string) => {
    const entries = skipped.filter(entry => entry.reason === reason);
    const links = new Set(entries.map(entry => deepestLinkIn(entry.path)));
    return listSome(Array.from(links, describe), MAX_LINKS);
  };
  const toFolders = list(LINK_TO_FOLDER, nameOf);
  const outside = list(LINK_OUTSIDE, withTarget);
  const toHidden = list(LINK_TO_HIDDEN, withTarget);
  const pnpm = toHidden.includes('/.pnpm/') ? ', or let pnpm install with node-linker=hoisted' : '';
  const folderMessage = `is not set, and the patterns match links to folders: ${toFolders}. Decide: true sends what they lead to, false skips them, a ! line in files excludes them. Send trees of links, such as pnpm's node_modules, as an archive: ${ARCHIVE}`;
  const outsideMessage = `links lead outside the workspace: ${outside}. Exclude them with ! lines, or copy what they lead to into the workspace.`;
  const hiddenMessage = `links lead to something hidden: ${toHidden}. Exclude them with ! lines${pnpm}, or send an archive: ${ARCHIVE}`;
  return [
    ...(toFolders === '' ? [] : [{ input: 'follow-symlinks', message: folderMessage }]),
    ...(outside === '' ? [] : [{ input: 'files', message: outsideMessage }]),
    ...(toHidden === '' ? [] : [{ input: 'files', message: hiddenMessage }]),
  ];
}

/**
 * Finds excludes that can match nothing because no pattern searches there, such as `!secret.txt`
 * beside `dist/**`. A pattern counts as searching its whole top-level folder.
 * @param excludes maps each exclude's line to its path up to the first wildcard
 * @param roots the paths of the patterns up to their first wildcards
 */
export function findUselessExcludes(
  excludes: ReadonlyMap<string, string>,
  roots: readonly string[],
  directory: string,
): Problem[] {
  const folders = roots.map(root => firstFolderOf(root, directory));
  return [...excludes].flatMap(([line, root]): Problem[] => {
    if (folders.some(folder => overlap(folder, root))) return [];
    const name = line.replace(/^([~.*]*[\\/])+/, '');
    const anywhere = folders.some(folder => overlap(folder, directory))
      ? `, or write ${quote(`!**/${name}`)} to exclude it wherever it is`
      : '';
    const message = `${quote(`!${line}`)} excludes nothing, since no pattern begins there. Begin it like a pattern${anywhere}.`;
    return [{ input: 'files', message }];
  });
}

function firstFolderOf(root: string, directory: string): string {
  const [first = ''] = pathWithin(directory, root)?.split(path.sep) ?? [];
  return first === '' ? root : path.join(directory, first);
}

function overlap(one: string, other: string): boolean {
  return pathWithin(one, other) !== undefined || pathWithin(other, one) !== undefined;
}

/** Lists hidden entries except `.git`, directly below the folders where searches began. */
export function listHidden(matches: readonly Matches[], workspace: string): string[] {
  const roots = new Set(matches.filter(match => match.hidesDotNames).map(match => match.root));
  const folders = [...roots].filter(root => statIfExists(root)?.isDirectory());
  return folders.flatMap(folder =>
    readdirSync(folder)
      .filter(name => name.startsWith('.') && name !== '.git')
      .map(name => displayPath(path.join(folder, name), workspace)),
  );
}

export function explainNoMatch(match: Matches, directory: string, workspace: string): string {
  const { pattern } = match.pattern;
  const [first] = match.skipped;
  const why =
    first === undefined
      ? describeRoot(match, directory)
      : `${match.skipped.length} skipped, such as ${displayPath(first.path, workspace)}: ${first.reason}`;
  const mistake = findMistake('unmatched-pattern', pattern);
  const advice = mistake === undefined ? '' : ` ${quote(pattern)} ${mistake}`;
  return `${quote(pattern)} matches no files to upload (${why}).${advice}`;
}

const MAX_NAMES = 10;

function describeRoot({ pattern, root, hidesDotNames }: Matches, directory: string): string {
  const existing = deepestExisting(root);
  const isDirectory = existing === directory;
  const name = isDirectory ? 'the working directory' : quote(displayPath(existing, directory));
  if (!statSync(existing).isDirectory())
    return /[*?[]/.test(pattern.pattern)
      ? `${name} is a file, and the pattern expects a folder`
      : `${name} is a file, and a ! line excludes it from all patterns`;
  const names = readdirSync(existing).sort().map(quote);
  if (names.length === 0)
    return `${name} is empty${isDirectory ? ': did actions/checkout or the build run in this job?' : ''}`;
  const content = `${name} exists and contains ${listSome(names, MAX_NAMES)}`;
  const [missing] = path.relative(existing, root).split(path.sep);
  if (missing) return `${content}; there is no ${quote(missing)} in it`;
  const hint = hidesDotNames ? '; names that start with a dot need include-hidden-files: true' : '';
  return `${content}; nothing in it matches, or a ! line excludes it${hint}`;
}
