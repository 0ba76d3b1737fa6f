import { once } from 'node:events';
import { readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { create } from '@actions/glob';
import type { FilePattern, FileRules } from '../inputs/files.ts';
import { allOrProblems, inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { quote } from '../text/escape.ts';
import { formatNumber } from '../text/format.ts';
import { errorText, systemCode } from '../text/json.ts';
import {
  type Bounds,
  boundsOf,
  displayPath,
  hasHiddenName,
  isInBounds,
  isLink,
  namesHidden,
  statIfExists,
  toAbsolutePattern,
  toPosix,
} from './paths.ts';
import { LINK_OUTSIDE, LINK_TO_FOLDER, LINK_TO_HIDDEN, rejectLinks } from './reject-links.ts';

export interface FoundFile {
  readonly path: string;
  readonly realPath: string;
  /** POSIX path below the pattern's root; empty if the pattern names the file itself. */
  readonly relative: string;
  readonly size: number;
  /** Always false on Windows. */
  readonly isExecutable: boolean;
}

export interface SkippedEntry {
  readonly path: string;
  readonly reason: string;
}

export interface Matches {
  readonly pattern: FilePattern;
  /** Absolute path up to the pattern's first wildcard. */
  readonly root: string;
  readonly hidesDotNames: boolean;
  readonly files: FoundFile[];
  readonly skipped: SkippedEntry[];
}

export interface FindOptions
  extends Pick<Inputs<'upload'>, 'workingDirectory' | 'followSymlinks' | 'includeHiddenFiles'> {
  readonly workspace: string;
  readonly cancel: AbortSignal;
  readonly maxFiles?: number;
}

export const BROKEN_LINK = 'a broken link';
export const NOT_REGULAR = 'not a regular file';

// Folders that link to each other can yield an almost endless number of paths.
const MAX_FILES = 1_000_000;

/**
 * Finds the files of each pattern; returns none if cancelled.
 * @throws InputError if a search fails, links lead out of the workspace or to something hidden, or a
 * link to a folder matches while `followSymlinks` is undefined
 */
export async function findFiles(rules: FileRules, options: FindOptions): Promise<Matches[]> {
  const { workspace, workingDirectory, cancel } = options;
  const directory = path.resolve(workspace, workingDirectory);
  requireDirectory(directory, workingDirectory);
  if (cancel.aborted) return [];
  const excludes = rules.excludes.map(line => `!${toAbsolutePattern(line, directory)}`);
  const searches = rules.patterns.map(pattern =>
    search(pattern, toAbsolutePattern(pattern.pattern, directory), excludes, options),
  );
  // The glob only yields on a match, so it cannot notice a cancelled job by itself.
  const aborted = once(cancel, 'abort').then(() => undefined);
  const matches = await Promise.race([allOrProblems(searches), aborted]);
  if (matches === undefined || cancel.aborted) return [];
  rejectLinks(
    matches.flatMap(({ skipped }) => skipped),
    workspace,
  );
  return matches;
}

function requireDirectory(directory: string, workingDirectory: string): void {
  if (statIfExists(directory)?.isDirectory()) return;
  const name = workingDirectory === '' ? 'the workspace' : quote(workingDirectory);
  const message = `${name} is not a directory on the runner (${directory}).`;
  throw inputError('working-directory', message, 'packages/app');
}

async function search(
  pattern: FilePattern,
  absolutePattern: string,
  excludes: readonly string[],
  options: FindOptions,
): Promise<Matches> {
  try {
    const root = await fixedPartOf(absolutePattern);
    const hidesDotNames = !options.includeHiddenFiles && !namesHidden(absolutePattern, root);
    const matches: Matches = { pattern, root, hidesDotNames, files: [], skipped: [] };
    const bounds = boundsOf(options.workspace, root);
    // The glob ignores an exclude that precedes its pattern.
    const paths = await collectPaths([absolutePattern, ...excludes], matches, options);
    for (const file of [...paths].sort()) classify(matches, file, bounds, options.followSymlinks);
    return matches;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    const message = errorText(error);
    // Node replaces bytes that are not UTF-8 with U+FFFD, and then finds no such file.
    const advice = message.includes('\uFFFD') ? ' A name is not valid UTF-8: rename it.' : '';
    throw inputError('files', `${quote(pattern.pattern)} cannot be searched: ${message}.${advice}`);
  }
}

/** Lists hidden entries but `.git`, directly below the folders in which searches began. */
export function listHidden(matches: readonly Matches[], workspace: string): string[] {
  const roots = new Set(matches.filter(match => match.hidesDotNames).map(match => match.root));
  const folders = [...roots].filter(root => statIfExists(root)?.isDirectory());
  return folders.flatMap(folder =>
    readdirSync(folder)
      .filter(name => name.startsWith('.') && name !== '.git')
      .map(name => displayPath(path.join(folder, name), workspace)),
  );
}

/** Returns the path up to a pattern's first wildcard. */
export async function fixedPartOf(absolutePattern: string): Promise<string> {
  const [root = ''] = (await create(absolutePattern)).getSearchPaths();
  return root;
}

async function collectPaths(
  lines: readonly string[],
  { pattern, root, hidesDotNames }: Matches,
  { followSymlinks, maxFiles = MAX_FILES }: FindOptions,
): Promise<Set<string>> {
  // The glob does not enter a root that is a link, and yields it only for some patterns.
  const paths = new Set(isLink(root) && statIfExists(root)?.isDirectory() ? [root] : []);
  // When the glob follows links, it omits broken ones and names that are not UTF-8, so search twice.
  for (const followSymbolicLinks of followSymlinks === true ? [false, true] : [false]) {
    const globber = await create(lines.join('\n'), {
      followSymbolicLinks,
      matchDirectories: false,
      // The glob would skip a root that is itself hidden.
      excludeHiddenFiles: hidesDotNames && !path.basename(root).startsWith('.'),
    });
    for await (const file of globber.globGenerator()) {
      paths.add(file);
      if (paths.size <= maxFiles) continue;
      const message = `${quote(pattern.pattern)} matches more than ${formatNumber(maxFiles)} files. Do links form a loop? Exclude what you do not need.`;
      throw inputError('files', message);
    }
  }
  return paths;
}

/** Adds an entry to `files` or `skipped`; ignores hidden entries and followed links. */
function classify(
  { root, hidesDotNames, files, skipped }: Matches,
  file: string,
  bounds: Bounds,
  followSymlinks: boolean | undefined,
): void {
  const relative = path.relative(root, file);
  if (hidesDotNames && hasHiddenName(relative)) return;
  const skip = (reason: string) => void skipped.push({ path: file, reason });
  const stats = statIfExists(file);
  if (stats === undefined) return skip(BROKEN_LINK);
  if (stats.isDirectory()) {
    if (followSymlinks === undefined) skip(LINK_TO_FOLDER);
    if (followSymlinks === false) skip('a link to a folder');
    return;
  }
  if (!stats.isFile()) return skip(NOT_REGULAR);
  const realPath = realpathSync.native(file);
  if (!isInBounds(bounds, realPath)) return skip(LINK_OUTSIDE);
  // A link from dist/x to ../.git must not upload the credentials in .git/config.
  if (hidesDotNames && hasHiddenName(path.relative(bounds.root, realPath)))
    return skip(LINK_TO_HIDDEN);
  const { size, mode } = stats;
  const isExecutable = (mode & 0o111) !== 0;
  files.push({ path: file, realPath, relative: toPosix(relative), size, isExecutable });
}
