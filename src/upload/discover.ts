import { statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemCode } from '../agent/system-error.ts';
import type { FilePattern, FileRules } from '../inputs/files.ts';
import { InputError } from '../inputs/parse.ts';
import { quote } from '../text/visible.ts';
import { boundary, type Resolve } from './boundary.ts';
import { pathWithin, toPosix } from './paths.ts';
import { anchor, type Matcher, matcher, rootOf } from './pattern.ts';
import { type Found, walk } from './walk.ts';

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

const LEFT_OUT = { 'broken link': BROKEN_LINK, special: NOT_REGULAR, link: 'a symbolic link' } as const;

/** What one pattern matches. */
export interface Matches {
  readonly pattern: FilePattern;
  /** Absolute path that the search started at. */
  readonly root: string;
  readonly files: readonly SourceFile[];
  readonly leftOut: readonly LeftOut[];
  /** Where there are no files: how many were passed over for a name that begins with a dot. */
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
  const match = matcher(absolute, excludes);
  const root = rootOf(absolute);
  const found = await sort(root, match, options);
  // What is hidden matters only as a reason why nothing was found.
  const isEmpty = found.files.length === 0 && !options.includeHidden;
  return { pattern, root, ...found, hidden: isEmpty ? await countHidden(root, match, options) : 0 };
}

async function sort(root: string, match: Matcher, options: DiscoverOptions) {
  const files: SourceFile[] = [];
  const leftOut: LeftOut[] = [];
  const isHidden = hider(root, match, options);
  let resolve: Resolve | undefined;
  for await (const { path: file, kind, size, isLink } of wanted(root, match, options)) {
    if (isHidden(file)) continue;
    if (kind === 'unreadable name') throw unreadableName(file);
    if (kind !== 'file') leftOut.push({ path: file, reason: LEFT_OUT[kind] });
    else {
      const relative = pathWithin(root, file) ?? '';
      resolve ??= boundary(options.workspace, relative === '' ? path.dirname(root) : root);
      files.push({ path: file, realPath: resolve(file, isLink), relative: toPosix(relative), size });
    }
  }
  return { files, leftOut };
}

async function countHidden(root: string, match: Matcher, options: DiscoverOptions): Promise<number> {
  const isHidden = hider(root, match, options);
  let hidden = 0;
  for await (const { path: file } of wanted(root, match, { ...options, includeHidden: true }))
    if (isHidden(file)) hidden += 1;
  return hidden;
}

// After so many paths, others get their turn: a cancelled job must not wait for the end of a search.
const TURN = 1000;

/** What the pattern wants of what is there, directories aside. */
async function* wanted(
  root: string,
  match: Matcher,
  { includeHidden, followSymlinks, cancel }: DiscoverOptions,
): AsyncGenerator<Found & { readonly kind: Exclude<Found['kind'], 'directory'> }> {
  let seen = 0;
  const enters = (directory: string) => match.mayHold(directory, !includeHidden);
  for (const found of walk(root, { followSymlinks, enters })) {
    const { kind } = found;
    if (kind !== 'directory' && match.wants(found.path)) yield { ...found, kind };
    seen += 1;
    if (seen % TURN === 0) await setImmediate();
    if (cancel.aborted) return;
  }
}

function hider(root: string, match: Matcher, { includeHidden }: DiscoverOptions): (file: string) => boolean {
  // Most paths have no such name, and asking the pattern costs more than this look.
  return file => !includeHidden && /[\\/]\./.test(file.slice(root.length - 1)) && match.hides(file);
}

function unreadableName(file: string): InputError {
  const message = `${JSON.stringify(file)} has a name that is not valid UTF-8. Rename it, or exclude it with a ! line.`;
  return new InputError([{ input: 'files', message }]);
}

function requireDirectory(directory: string, given: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  const message = `${quote(given)} is not a directory on the runner (${directory}).`;
  throw new InputError([{ input: 'working-directory', message, example: 'working-directory: packages/app' }]);
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOENT: ' A folder vanished during the search.',
  EACCES: ' Let the runner read the folder, or upload another.',
};

function unsearchable({ pattern }: FilePattern, error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined || !(error instanceof Error)) return error;
  const message = `${quote(pattern)} cannot be searched: ${error.message}.${ADVICE[code] ?? ''}`;
  return new InputError([{ input: 'files', message }]);
}
