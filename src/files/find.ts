import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { create } from '@actions/glob';
import type { FilePattern } from '../inputs/files.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { findMistake } from '../inputs/mistakes.ts';
import { quote } from '../text/escape.ts';
import { formatNumber } from '../text/format.ts';
import {
  deepestExisting,
  displayPath,
  escapeGlob,
  hasHiddenName,
  isLink,
  namesHidden,
  pathWithin,
  statIfExists,
  toAbsolutePattern,
  toPosix,
} from './paths.ts';

export interface FoundFile {
  /** For display: relative to the workspace if inside it, with slashes. */
  readonly source: string;
  readonly realPath: string;
  /** POSIX path below the pattern's root; empty if the pattern names the file itself. */
  readonly relative: string;
  readonly size: number;
}

export interface SkippedEntry {
  /** For display. */
  readonly path: string;
  readonly reason: string;
}

/** A link that fails the step. A link to a folder does so unless `follow-symlinks` is set. */
export interface ForbiddenLink {
  readonly leadsTo: 'folder' | 'outside' | 'hidden';
  /** Absolute path of the matched entry, which is the link or below it. */
  readonly entry: string;
}

export interface Matches {
  readonly pattern: FilePattern;
  /** The absolute path before the first wildcard. */
  readonly root: string;
  readonly skipsHidden: boolean;
  readonly files: readonly FoundFile[];
  readonly skipped: readonly SkippedEntry[];
  readonly links: readonly ForbiddenLink[];
}

export interface Exclude {
  /** Without the leading `!`. */
  readonly line: string;
  /** What is probably wrong with it, if it excludes nothing. */
  readonly mistake: string | undefined;
}

export interface FoundFiles {
  readonly matches: readonly Matches[];
  readonly excludes: readonly Exclude[];
}

export const LINK_TO_FOLDER = 'a link to a folder';

// Folders that link to each other yield an almost endless number of paths, so stop somewhere.
const MAX_FILES = 1_000_000;

/** Finds the files of each pattern, or nothing if cancelled. */
export async function findFiles(
  inputs: Inputs<'upload'>,
  workspace: string,
  cancel: AbortSignal,
): Promise<FoundFiles> {
  const { workingDirectory, stateFile, files } = inputs;
  const directory = path.resolve(workspace, workingDirectory);
  requireDirectory(directory, workingDirectory);
  const nothing = { matches: [], excludes: [] };
  if (cancel.aborted) return nothing;
  const absolute = (line: string) => toAbsolutePattern(line, directory);
  // Exclude the state file, which is not part of the build.
  const stateExclude = stateFile === '' ? [] : [escapeGlob(path.resolve(workspace, stateFile))];
  const allExcludes = [...files.excludes.map(absolute), ...stateExclude];
  const searches = files.patterns.map(pattern => search(pattern, allExcludes, inputs, workspace));
  // The glob only yields on a match, so it cannot notice a cancelled job by itself: race it.
  const aborted = once(cancel, 'abort').then(() => []);
  const matches = await Promise.race([Promise.all(searches), aborted]);
  if (cancel.aborted) return nothing;
  const excludes = files.excludes.map(line => describeExclude(line, absolute(line)));
  return { matches, excludes: await Promise.all(excludes) };
}

async function describeExclude(line: string, pattern: string): Promise<Exclude> {
  const mistake = findMistake('unmatched-exclude', line);
  if (mistake === undefined) return { line, mistake };
  // File names may look like a mistake, so see whether the line matches something.
  const first = await (await create(pattern)).globGenerator().next();
  return { line, mistake: first.done ? mistake : undefined };
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
  workspace: string,
): Promise<Matches> {
  const directory = path.resolve(workspace, workingDirectory);
  const absolutePattern = toAbsolutePattern(pattern.pattern, directory);
  const [root = ''] = (await create(absolutePattern)).getSearchPaths();
  const skipsHidden = !includeHiddenFiles && !namesHidden(absolutePattern, root);
  // The glob throws for a path that leads through a file.
  const existing = deepestExisting(root);
  if (existing !== root && statIfExists(existing)?.isFile())
    return { pattern, root, skipsHidden, files: [], skipped: [], links: [] };
  // Put excludes last, since the glob ignores those that precede a pattern.
  const lines = [absolutePattern, ...excludes.map(exclude => `!${exclude}`)].join('\n');
  const paths = new Set<string>();
  // A glob that does not follow links never enters a root that is a link, and only yields it for
  // some patterns, so always add it.
  if (isLink(root) && statIfExists(root)?.isDirectory()) paths.add(root);
  // A glob that follows links omits broken ones and names that are not UTF-8. One that does not
  // follow links yields broken ones and throws for such names, so use it first.
  for (const followSymbolicLinks of followSymlinks ? [false, true] : [false]) {
    const globber = await create(lines, {
      followSymbolicLinks,
      matchDirectories: false,
      // The glob would skip a hidden root, so leave all that is hidden below one to `classify`.
      excludeHiddenFiles: skipsHidden && !path.basename(root).startsWith('.'),
    });
    for await (const file of globber.globGenerator())
      if (paths.add(file).size > MAX_FILES) throw tooManyFiles(pattern);
  }
  const found = classify([...paths].sort(), { root, workspace, skipsHidden, followSymlinks });
  return { pattern, root, skipsHidden, ...found };
}

function tooManyFiles({ pattern }: FilePattern) {
  const message = `${quote(pattern)} matches more than ${formatNumber(MAX_FILES)} files. Do links form a loop? Exclude what you do not need.`;
  return inputError('files', message);
}

interface ClassifyOptions extends Pick<Matches, 'root' | 'skipsHidden'> {
  readonly workspace: string;
  readonly followSymlinks: boolean | undefined;
}

/** Sorts paths into files and others, and omits hidden ones and followed links to folders. */
function classify(
  entries: readonly string[],
  { root, workspace, skipsHidden, followSymlinks }: ClassifyOptions,
): Pick<Matches, 'files' | 'skipped' | 'links'> {
  const files: FoundFile[] = [];
  const skipped: SkippedEntry[] = [];
  const links: ForbiddenLink[] = [];
  const realWorkspace = realpathSync.native(workspace);
  const realRoot = realRootOf(root, workspace);
  for (const entry of entries) {
    const source = displayPath(entry, workspace);
    const relative = path.relative(root, entry);
    if (skipsHidden && hasHiddenName(relative)) continue;
    const stats = statIfExists(entry);
    if (stats === undefined) skipped.push({ path: source, reason: 'a broken link' });
    else if (stats.isDirectory()) {
      // This can only be a link to a directory, since `matchDirectories` is false.
      if (followSymlinks === undefined) links.push({ leadsTo: 'folder', entry });
      else if (!followSymlinks) skipped.push({ path: source, reason: LINK_TO_FOLDER });
    } else if (!stats.isFile()) skipped.push({ path: source, reason: 'not a regular file' });
    else {
      const realPath = realpathSync.native(entry);
      const isIn = (folder: string) => pathWithin(folder, realPath) !== undefined;
      if (!isIn(realWorkspace) && !isIn(realRoot)) links.push({ leadsTo: 'outside', entry });
      // A link from dist/x to ../.git must not upload the credentials in .git/config.
      else if (skipsHidden && hasHiddenName(path.relative(realRoot, realPath)))
        links.push({ leadsTo: 'hidden', entry });
      else files.push({ source, realPath, relative: toPosix(relative), size: stats.size });
    }
  }
  return { files, skipped, links };
}

/**
 * Resolves links up to the workspace or, for a root outside it, up to the root's parent. The root
 * itself stays unresolved: if it were a link to `/`, every file would count as inside.
 */
function realRootOf(root: string, workspace: string): string {
  const start = pathWithin(workspace, root) === undefined ? path.dirname(root) : workspace;
  const realStart = existsSync(start) ? realpathSync.native(start) : start;
  return path.join(realStart, path.relative(start, root));
}
