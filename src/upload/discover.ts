import { type Dirent, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { create, type Globber } from '@actions/glob';
import type { FilePattern, FileRules } from '../inputs/files.ts';
import { InputError } from '../inputs/parse.ts';
import { boundary, type Resolve } from './boundary.ts';
import { toPosix } from './paths.ts';
import { anchor, type Matcher, matcher } from './pattern.ts';

/** A regular file that a pattern matches. */
export interface SourceFile {
  /** Absolute path as it was found. */
  readonly path: string;
  /** The path with its links resolved. */
  readonly realPath: string;
  /** POSIX path below what the pattern spells out; empty where the pattern spells out the file itself. */
  readonly relative: string;
  /** Bytes. */
  readonly size: number;
}

/** Something a pattern matches that is not uploaded. */
export interface LeftOut {
  /** Absolute path. */
  readonly path: string;
  readonly reason: string;
}

/** The reason of a link that leads nowhere. */
export const BROKEN_LINK = 'a broken link';

/** The reason of a pipe, a socket or a device. */
export const NOT_REGULAR = 'not a regular file';

/** What one pattern matches. */
export interface Matches {
  readonly pattern: FilePattern;
  readonly files: readonly SourceFile[];
  readonly leftOut: readonly LeftOut[];
  /** How many files were passed over for a name that begins with a dot. */
  readonly hidden: number;
}

export interface DiscoverOptions {
  /** Absolute path of the workspace. */
  readonly workspace: string;
  /** Where relative patterns start: absolute, or relative to the workspace; empty is the workspace. */
  readonly workingDirectory: string;
  readonly includeHidden: boolean;
  readonly followSymlinks: boolean;
  /** Ends the search early, with what was found so far. */
  readonly cancel: AbortSignal;
}

/**
 * Searches the files of every pattern, in the order of the patterns. Reads the runner's file system, and no content.
 * @throws InputError where a place cannot be searched or a link leads out of the workspace.
 */
export async function discover(rules: FileRules, options: DiscoverOptions): Promise<Matches[]> {
  const directory = path.resolve(options.workspace, options.workingDirectory);
  requireDirectory(directory, options.workingDirectory);
  const excludes = rules.excludes.map(exclude => anchor(exclude, directory));
  const all: Matches[] = [];
  for (const pattern of rules.patterns) {
    try {
      all.push(await search(pattern, anchor(pattern.pattern, directory), excludes, options));
    } catch (error) {
      throw unsearchable(pattern, error);
    }
  }
  return all;
}

async function search(
  pattern: FilePattern,
  absolute: string,
  excludes: readonly string[],
  options: DiscoverOptions,
): Promise<Matches> {
  const lines = [absolute, ...excludes.map(exclude => `!${exclude}`)];
  // Directories are asked for as well: broken links, which the search drops silently, are looked for in them.
  const globber = await create(lines.join('\n'), { followSymbolicLinks: options.followSymlinks });
  const [root = absolute] = globber.getSearchPaths();
  const match = matcher(absolute, excludes);
  const found = await sort(globber, root, match, options);
  // A broken link that is spelt out leaves nothing to search in; what it lies in is looked at instead.
  const places = existsSync(root) ? found.directories : [path.dirname(root)];
  const wanted = (file: string) => match.wants(file) && !hides(root, file, match, options);
  const lost = options.followSymlinks ? findLost(places, wanted) : [];
  return { pattern, files: found.files, leftOut: [...found.leftOut, ...lost], hidden: found.hidden };
}

async function sort(globber: Globber, root: string, match: Matcher, options: DiscoverOptions) {
  const files: SourceFile[] = [];
  const leftOut: LeftOut[] = [];
  const directories = new Set<string>();
  let hidden = 0;
  let resolve: Resolve | undefined;
  for await (const file of globber.globGenerator()) {
    if (options.cancel.aborted) break;
    const relative = path.relative(root, file);
    const link = lstatSync(file);
    const stat = options.followSymlinks && link.isSymbolicLink() ? statSync(file) : link;
    if (stat.isDirectory()) directories.add(file);
    else if (hides(root, file, match, options)) hidden += 1;
    else if (stat.isSymbolicLink()) leftOut.push({ path: file, reason: 'a symbolic link' });
    else if (!stat.isFile()) leftOut.push({ path: file, reason: NOT_REGULAR });
    else {
      directories.add(path.dirname(file));
      resolve ??= boundary(options.workspace, relative === '' ? path.dirname(root) : root);
      files.push({
        path: file,
        realPath: resolve(file, link.isSymbolicLink()),
        relative: toPosix(relative),
        size: stat.size,
      });
    }
  }
  return { files, leftOut, directories, hidden };
}

function hides(root: string, file: string, match: Matcher, { includeHidden }: DiscoverOptions): boolean {
  // Most paths have no such name, and asking the pattern costs more than this look.
  return !includeHidden && /[\\/]\./.test(file.slice(root.length - 1)) && match.hides(file);
}

/** What the search could not follow to an end and so did not mention: broken links, names it could not read. */
function findLost(directories: Iterable<string>, wanted: (file: string) => boolean): LeftOut[] {
  const lost: LeftOut[] = [];
  for (const directory of directories) {
    for (const entry of entriesOf(directory)) {
      const file = path.join(directory, entry.name);
      const suspect = entry.isSymbolicLink() || entry.name.includes('\uFFFD');
      if (!suspect || existsSync(file) || !wanted(file)) continue;
      if (!entry.isSymbolicLink()) throw unreadableName(file);
      lost.push({ path: file, reason: BROKEN_LINK });
    }
  }
  return lost;
}

function unreadableName(file: string): InputError {
  const message = `${JSON.stringify(file)} has a name that is not valid UTF-8. Rename it, or exclude it with a ! line.`;
  return new InputError([{ input: 'files', message }]);
}

function entriesOf(directory: string): Dirent[] {
  return existsSync(directory) ? readdirSync(directory, { withFileTypes: true }) : [];
}

function requireDirectory(directory: string, given: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  const message = `${JSON.stringify(given)} is not a directory on the runner (${directory}).`;
  throw new InputError([{ input: 'working-directory', message, example: 'working-directory: packages/app' }]);
}

const ADVICE: Readonly<Record<string, string>> = {
  ELOOP: ' Remove the link that leads to itself, or set follow-symlinks: false.',
  ENOENT: ' The file vanished during the search, or its name is not valid UTF-8. Rename or remove it.',
  EACCES: ' Let the runner read the folder, or upload another.',
};

function unsearchable({ pattern }: FilePattern, error: unknown): unknown {
  if (error instanceof InputError || !(error instanceof Error)) return error;
  // Errors of the system have a code, and so have the assertions by which @actions/glob refuses a pattern; bugs have not.
  if (!('code' in error)) return error;
  const message = `${JSON.stringify(pattern)} cannot be searched: ${error.message}.${ADVICE[String(error.code)] ?? ''}`;
  return new InputError([{ input: 'files', message }]);
}
