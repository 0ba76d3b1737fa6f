import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Problem } from '../inputs/input-error.ts';
import { findMistake } from '../inputs/mistakes.ts';
import { quote } from '../text/escape.ts';
import { formatNumber, listSome } from '../text/format.ts';
import type { Matches } from './find.ts';
import { deepestExisting, displayPath, pathWithin, statIfExists } from './paths.ts';

/**
 * Finds excludes that can match nothing because no pattern searches there, such as `!secret.txt`
 * beside `dist/**`. A pattern counts as searching its whole top-level folder. The roots are paths
 * up to the first wildcard.
 */
export function findUselessExcludes(
  excludes: readonly { readonly line: string; readonly root: string }[],
  roots: readonly string[],
  directory: string,
): Problem[] {
  const folders = roots.map(root => firstFolderOf(root, directory));
  const isSearched = (place: string) => folders.some(folder => overlap(folder, place));
  const useless = excludes.filter(({ root }) => !isSearched(root));
  return useless.map(({ line }) => {
    const name = line.replace(/^([~.*]*[\\/])+/, '');
    const anywhere = isSearched(directory)
      ? `, or write ${quote(`!**/${name}`)} to exclude it wherever it is`
      : '';
    const message = `${quote(`!${line}`)} excludes nothing, since no pattern begins there. Begin it like a pattern${anywhere}.`;
    return { input: 'files', message };
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

/** Puts the advice first and the names last, since summaries cut long texts. */
export function explainNoMatch(match: Matches, directory: string): string {
  const { pattern } = match.pattern;
  const mistake = findMistake('unmatched-pattern', pattern);
  const advice = mistake === undefined ? '' : ` It ${mistake}`;
  const [first] = match.skipped;
  const why =
    first === undefined
      ? describeRoot(match, directory)
      : `Skipped ${formatNumber(match.skipped.length)}, such as ${quote(first.path)} (${first.reason}).`;
  return `${quote(pattern)} matches no files to upload.${advice} ${why}`;
}

function describeRoot({ pattern, root, hidesDotNames }: Matches, directory: string): string {
  const existing = deepestExisting(root);
  const isDirectory = existing === directory;
  const name = isDirectory ? 'the working directory' : quote(displayPath(existing, directory));
  if (!statSync(existing).isDirectory())
    return /[*?[]/.test(pattern.pattern)
      ? `${name} is a file, and the pattern expects a folder.`
      : `${name} is a file, and a ! line excludes it from all patterns.`;
  const names = listSome(readdirSync(existing).sort().map(quote));
  if (names === '')
    return isDirectory
      ? 'The working directory is empty: did actions/checkout or the build run in this job?'
      : `${name} is empty.`;
  const [missing] = path.relative(existing, root).split(path.sep);
  if (missing) return `There is no ${quote(missing)} in ${name}, only ${names}.`;
  const hint = hidesDotNames ? '; names that start with a dot need include-hidden-files: true' : '';
  return `Nothing in ${name} matches, or a ! line excludes it${hint}. Found there: ${names}.`;
}
