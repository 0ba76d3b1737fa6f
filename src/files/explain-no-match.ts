import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { findMistake } from '../inputs/mistakes.ts';
import { quote } from '../text/escape.ts';
import { listSome } from '../text/format.ts';
import type { Matches } from './find.ts';
import { displayPath } from './paths.ts';

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
  if (path.sep === '/' && /^[a-z]:[\\/]/i.test(pattern))
    return 'begins with a drive, which only Windows has. Write the path relative to the workspace, with slashes.';
  if (path.sep === '/' && pattern.includes('\\'))
    return 'has a backslash, which does not separate folders on this runner. Write a slash.';
  return findMistake('unmatched', pattern);
}

const MAX_NAMES = 10;

function describeRoot({ pattern, root, hidesDotNames }: Matches, directory: string): string {
  const existing = deepestExisting(root);
  const existingName =
    existing === directory ? 'the working directory' : quote(displayPath(existing, directory));
  if (!existsSync(existing)) return `${quote(root)} does not exist`;
  if (!statSync(existing).isDirectory())
    return /[*?[]/.test(pattern.pattern)
      ? `${existingName} is a file, and the pattern expects a folder`
      : `${existingName} is a file, and a ! line excludes it from all patterns`;
  const names = readdirSync(existing).sort();
  if (names.length === 0) {
    const hint =
      existing === directory ? ': did actions/checkout or the build run in this job?' : '';
    return `${existingName} is empty${hint}`;
  }
  const content = `${existingName} exists and contains ${listSome(names.map(quote), MAX_NAMES)}`;
  const hint = hidesDotNames ? '; names that start with a dot need include-hidden-files: true' : '';
  if (existing === root) return `${content}; nothing in it matches, or a ! line excludes it${hint}`;
  const [missing = ''] = path.relative(existing, root).split(path.sep);
  const similar = names.find(name => name.toLowerCase() === missing.toLowerCase());
  return similar === undefined
    ? `${content}; there is no ${quote(missing)} in it`
    : `there is no ${quote(missing)}, only ${quote(similar)}: case matters`;
}

/** Returns the path itself if it exists, otherwise its deepest existing parent. */
function deepestExisting(file: string): string {
  const parent = path.dirname(file);
  return existsSync(file) || parent === file ? file : deepestExisting(parent);
}
