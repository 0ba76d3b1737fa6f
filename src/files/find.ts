import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { create } from '@actions/glob';
import type { FilePattern } from '../inputs/files.ts';
import { allOrProblems, InputError, inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { errorText, systemCode } from '../text/errors.ts';
import { quote } from '../text/escape.ts';
import { formatNumber } from '../text/format.ts';
import {
  boundsOf,
  escapeGlob,
  hasHiddenName,
  isLink,
  namesHidden,
  pathWithin,
  statIfExists,
  toAbsolutePattern,
  toPosix,
} from './paths.ts';
import {
  findLinkProblems,
  findUselessExcludes,
  LINK_OUTSIDE,
  LINK_TO_FOLDER,
  LINK_TO_HIDDEN,
} from './pattern-problems.ts';

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

export interface FindOptions {
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
 * @throws InputError if a search fails, an exclude is useless, links point out of the workspace or
 * to something hidden, or a link to a folder matches while `followSymlinks` is undefined
 */
export async function findFiles(
  inputs: Inputs<'upload'>,
  options: FindOptions,
): Promise<readonly Matches[]> {
  const { workingDirectory, stateFile } = inputs;
  const { patterns, excludes } = inputs.files;
  const { workspace, cancel } = options;
  const directory = path.resolve(workspace, workingDirectory);
  requireDirectory(directory, workingDirectory);
  if (cancel.aborted) return [];
  const absolute = (line: string) => toAbsolutePattern(line, directory);
  // The state file is not part of the build.
  const stateExclude = stateFile === '' ? [] : [escapeGlob(path.resolve(workspace, stateFile))];
  // The glob ignores an exclude that precedes its pattern.
  const lines = [...excludes.map(absolute), ...stateExclude].map(exclude => `!${exclude}`);
  const searches = patterns.map(pattern => search(pattern, lines, inputs, options));
  // The glob only yields on a match, so it cannot notice a cancelled job by itself.
  const aborted = once(cancel, 'abort').then(() => undefined);
  const matches = await Promise.race([allOrProblems(searches), aborted]);
  if (matches === undefined || cancel.aborted) return [];
  const skipped = matches.flatMap(match => match.skipped);
  const roots = matches.map(({ root }) => root);
  const excludeRoots = excludes.map(
    async line => [line, await fixedPartOf(absolute(line))] as const,
  );
  const problems = [
    ...findLinkProblems(skipped, workspace),
    ...findUselessExcludes(new Map(await Promise.all(excludeRoots)), roots, directory),
  ];
  if (problems.length > 0) throw new InputError(problems);
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
  excludes: readonly string[],
  { workingDirectory, followSymlinks, includeHiddenFiles }: Inputs<'upload'>,
  { workspace, maxFiles = MAX_FILES }: FindOptions,
): Promise<Matches> {
  const directory = path.resolve(workspace, workingDirectory);
  const absolutePattern = toAbsolutePattern(pattern.pattern, directory);
  try {
    const root = await fixedPartOf(absolutePattern);
    const hidesDotNames = !includeHiddenFiles && !namesHidden(absolutePattern, root);
    const matches: Matches = { pattern, root, hidesDotNames, files: [], skipped: [] };
    const lines = [absolutePattern, ...excludes];
    const paths = await collectPaths(lines, matches, followSymlinks === true, maxFiles);
    const bounds = boundsOf(workspace, root);
    for (const file of [...paths].sort()) classify(matches, file, bounds, followSymlinks);
    return matches;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    const message = errorText(error);
    // Node replaces bytes that are not UTF-8 with U+FFFD, and then finds no such file.
    const advice = message.includes('\uFFFD') ? ' A name is not valid UTF-8: rename it.' : '';
    throw inputError('files', `${quote(pattern.pattern)} cannot be searched: ${message}.${advice}`);
  }
}

/** Returns the path up to a pattern's first wildcard. */
export async function fixedPartOf(absolutePattern: string): Promise<string> {
  const [root = ''] = (await create(absolutePattern)).getSearchPaths();
  return root;
}

async function collectPaths(
  lines: readonly string[],
  { pattern, root, hidesDotNames }: Matches,
  followsLinks: boolean,
  maxFiles: number,
): Promise<Set<string>> {
  // The glob does not enter a root that is a link, and only some patterns make it yield the root.
  const paths = new Set(isLink(root) && statIfExists(root)?.isDirectory() ? [root] : []);
  // When the glob follows links, it omits broken ones and names that are not UTF-8, so search twice.
  for (const followSymbolicLinks of followsLinks ? [false, true] : [false]) {
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

/** Adds a path to `files` or `skipped`; ignores hidden entries and followed links. */
function classify(
  { root, hidesDotNames, files, skipped }: Matches,
  file: string,
  bounds: ReturnType<typeof boundsOf>,
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
  const isInBounds = bounds.some(folder => pathWithin(folder, realPath) !== undefined);
  if (!isInBounds) return skip(LINK_OUTSIDE);
  // A link from dist/x to ../.git must not upload the credentials in .git/config.
  const [, realRoot] = bounds;
  if (hidesDotNames && hasHiddenName(path.relative(realRoot, realPath)))
    return skip(LINK_TO_HIDDEN);
  const { size, mode } = stats;
  const isExecutable = (mode & 0o111) !== 0;
  files.push({ path: file, realPath, relative: toPosix(relative), size, isExecutable });
}
