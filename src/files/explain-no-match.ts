import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { FileRules } from '../inputs/files.ts';
import { InputError, type Problem } from '../inputs/input-error.ts';
import { findMistake } from '../inputs/mistakes.ts';
import { quote } from '../text/escape.ts';
import { listSome } from '../text/format.ts';
import { fixedPartOf, type Matches } from './find.ts';
import { deepestExisting, displayPath, pathWithin, toAbsolutePattern } from './paths.ts';

export function explainNoMatch(match: Matches, directory: string, workspace: string): string {
  const [first] = match.skipped;
  const why =
    first === undefined
      ? describeRoot(match, directory)
      : `${match.skipped.length} skipped, such as ${displayPath(first.path, workspace)}: ${first.reason}`;
  const name = quote(match.pattern.pattern);
  const mistake = findPatternMistake(match.pattern.pattern);
  const advice = mistake === undefined ? '' : ` ${name} ${mistake}`;
  return `${name} matches no files to upload (${why}).${advice}`;
}

function findPatternMistake(pattern: string): string | undefined {
  return findBackslash(pattern) ?? findMistake('unmatched', pattern);
}

function findBackslash(pattern: string): string | undefined {
  if (path.sep !== '/' || !pattern.includes('\\')) return undefined;
  return 'has a backslash, which does not separate folders on this runner. Write a slash.';
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

/**
 * Rejects excludes that begin where no pattern begins, such as `!secret.txt` beside `dist/**`: they
 * exclude nothing. All of a pattern's first folder in the directory counts as where it begins.
 * @throws InputError with all of them
 */
export async function rejectUselessExcludes(rules: FileRules, directory: string): Promise<void> {
  // Most steps exclude nothing, and each pattern's root costs a glob.
  if (rules.excludes.length === 0) return;
  const rootOf = (line: string) => fixedPartOf(toAbsolutePattern(line, directory));
  const roots = await Promise.all(rules.patterns.map(({ pattern }) => rootOf(pattern)));
  const folders = roots.map(root => firstFolderOf(root, directory));
  const problems: Problem[] = [];
  for (const line of rules.excludes) {
    const mistake = findBackslash(line);
    if (mistake !== undefined) {
      problems.push({ input: 'files', message: `${quote(`!${line}`)} ${mistake}` });
      continue;
    }
    const start = await rootOf(line);
    if (folders.some(folder => overlap(folder, start))) continue;
    const name = line.replace(/^([~.*]*[\\/])+/, '');
    const anywhere = folders.some(folder => overlap(folder, directory))
      ? `, or write ${quote(`!**/${name}`)} to exclude it wherever it is`
      : '';
    const message = `${quote(`!${line}`)} excludes nothing, since no pattern begins there. Begin it like a pattern${anywhere}.`;
    problems.push({ input: 'files', message });
  }
  if (problems.length > 0) throw new InputError(problems);
}

function firstFolderOf(root: string, directory: string): string {
  const [first = ''] = pathWithin(directory, root)?.split(path.sep) ?? [];
  return first === '' ? root : path.join(directory, first);
}

function overlap(one: string, other: string): boolean {
  return pathWithin(one, other) !== undefined || pathWithin(other, one) !== undefined;
}
