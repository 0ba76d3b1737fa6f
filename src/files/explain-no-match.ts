import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
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
  return `${quote(match.pattern.pattern)} matches no files to upload (${why}).`;
}

const MAX_NAMES = 10;

function describeRoot({ root, hidesDotNames }: Matches, directory: string): string {
  const existing = deepestExisting(root);
  const existingName =
    existing === directory ? 'the working directory' : quote(displayPath(existing, directory));
  if (!existsSync(existing)) return `${quote(root)} does not exist`;
  if (!statSync(existing).isDirectory())
    return `${existingName} is a file: a ! line excludes it, or the pattern expects a folder`;
  const names = readdirSync(existing).sort();
  if (names.length === 0) return `${existingName} is empty`;
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
