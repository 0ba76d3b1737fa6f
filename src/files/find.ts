import { once } from 'node:events';
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { create } from '@actions/glob';
import type { FilePattern, FileRules } from '../inputs/files.ts';
import { allOf, InputError, inputError, type Problem } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { abbreviate, formatCount, formatNumber } from '../text/format.ts';
import { systemCode } from '../text/unknown.ts';
import { quote } from '../text/visible.ts';
import {
  anchor,
  type Bounds,
  boundsOf,
  hasHiddenName,
  isInBounds,
  linksOut,
  nameFor,
  pathWithin,
  spellsHidden,
  toPosix,
} from './paths.ts';

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
  /** Absolute path before the pattern's first wildcard. */
  readonly root: string;
  readonly files: readonly FoundFile[];
  readonly skipped: readonly SkippedEntry[];
  readonly leavesOutHidden: boolean;
}

export interface FindOptions
  extends Pick<Inputs<'upload'>, 'workingDirectory' | 'followSymlinks' | 'includeHiddenFiles'> {
  readonly workspace: string;
  readonly cancel: AbortSignal;
  readonly maxFiles?: number;
}

export const BROKEN_LINK = 'a broken link';
export const NOT_REGULAR = 'not a regular file';
export const HIDDEN_END = 'a link to something hidden';

// Folders that link to each other have too many paths to search.
const MAX_FILES = 1_000_000;

const MAX_LINKS = 10;

/**
 * Finds files in the order of the patterns; finds none if cancelled.
 * @throws InputError for folders, names and links that cannot be used
 */
export async function findFiles(rules: FileRules, options: FindOptions): Promise<Matches[]> {
  const { workspace, workingDirectory, cancel } = options;
  const directory = path.resolve(workspace, workingDirectory);
  requireDirectory(directory, workingDirectory);
  if (cancel.aborted) return [];
  const excludes = rules.excludes.map(line => `!${anchor(line, directory)}`);
  const searching = rules.patterns.map(pattern =>
    search({ pattern, anchored: anchor(pattern.pattern, directory), excludes }, options),
  );
  // The glob only yields on a match, so it cannot notice a cancelled job by itself.
  const aborted = once(cancel, 'abort').then(() => undefined);
  const searches = await Promise.race([allOf(searching), aborted]);
  if (searches === undefined || cancel.aborted) return [];
  refuseLinks(searches, workspace);
  return searches.map(({ matches }) => matches);
}

function requireDirectory(directory: string, given: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  const what = given === '' ? 'the workspace' : quote(given);
  const message = `${what} is not a directory on the runner (${directory}).`;
  throw inputError('working-directory', message, 'packages/app');
}

interface Line {
  readonly pattern: FilePattern;
  readonly anchored: string;
  /** Absolute, each with a leading `!`. */
  readonly excludes: readonly string[];
}

interface Search {
  readonly matches: Matches;
  readonly undecided: readonly string[];
  readonly outside: readonly string[];
}

async function search(line: Line, options: FindOptions): Promise<Search> {
  const { pattern, anchored } = line;
  try {
    const [root = ''] = (await create(anchored)).getSearchPaths();
    const leavesOutHidden = !options.includeHiddenFiles && !spellsHidden(anchored, root);
    const place = { root, leavesOutHidden, bounds: boundsOf(options.workspace, root) };
    const entries = await entriesOf(line, place, options);
    const pathsOf = (kind: Entry['kind']) =>
      entries.filter(entry => entry.kind === kind).map(entry => entry.path);
    const files = entries.flatMap(entry => (entry.kind === 'file' ? [entry.file] : []));
    const skipped = entries.flatMap(({ path: file, ...entry }) =>
      entry.kind === 'skipped' ? [{ path: file, reason: entry.reason }] : [],
    );
    return {
      matches: { pattern, root, files, skipped, leavesOutHidden },
      undecided: pathsOf('undecided'),
      outside: linksOut(pathsOf('outside'), place.bounds),
    };
  } catch (error) {
    throw searchError(pattern, error);
  }
}

interface Place extends Pick<Matches, 'root' | 'leavesOutHidden'> {
  readonly bounds: Bounds;
}

/** `undecided` is a link to a folder; `outside` is a file whose real path is out of bounds. */
type Entry =
  | { readonly kind: 'file'; readonly path: string; readonly file: FoundFile }
  | { readonly kind: 'skipped'; readonly path: string; readonly reason: string }
  | { readonly kind: 'undecided' | 'outside' | 'ignored'; readonly path: string };

async function entriesOf(line: Line, place: Place, options: FindOptions): Promise<Entry[]> {
  const { followSymlinks, cancel, maxFiles = MAX_FILES } = options;
  const entries = new Map<string, Entry>();
  const add = (file: string) => entries.set(file, classify(file, place, followSymlinks));
  // The glob does not enter a root that is a link, and yields it only for some patterns.
  if (isLinkToFolder(place.root)) add(place.root);
  // When following links, the glob omits broken ones and names that are not UTF-8, so search
  // without following first.
  for (const isFollowing of followSymlinks === true ? [false, true] : [false]) {
    for await (const file of glob(line, place, isFollowing)) {
      if (cancel.aborted) return [];
      if (!entries.has(file)) add(file);
      if (entries.size > maxFiles) throw tooMany(line.pattern, maxFiles);
    }
  }
  return [...entries.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

async function* glob({ anchored, excludes }: Line, place: Place, followSymbolicLinks: boolean) {
  // An exclude only works after its pattern.
  const globber = await create([anchored, ...excludes].join('\n'), {
    followSymbolicLinks,
    matchDirectories: false,
    // The glob would leave out a root that is itself hidden.
    excludeHiddenFiles: place.leavesOutHidden && !path.basename(place.root).startsWith('.'),
  });
  yield* globber.globGenerator();
}

function classify(file: string, place: Place, followSymlinks: boolean | undefined): Entry {
  const { root, leavesOutHidden, bounds } = place;
  const relative = pathWithin(root, file) ?? '';
  if (leavesOutHidden && hasHiddenName(relative)) return { kind: 'ignored', path: file };
  const stats = statTarget(file);
  const skip = (reason: string): Entry => ({ kind: 'skipped', path: file, reason });
  if (stats === undefined) return skip(BROKEN_LINK);
  if (!stats.isFile() && !stats.isDirectory()) return skip(NOT_REGULAR);
  const realPath = realpathSync.native(file);
  if (stats.isDirectory()) {
    if (followSymlinks === undefined) return { kind: 'undecided', path: file };
    return followSymlinks ? { kind: 'ignored', path: file } : skip('a link to a folder');
  }
  if (!isInBounds(bounds, realPath)) return { kind: 'outside', path: file };
  // A link from dist/x to ../.git must not upload the credentials in .git/config.
  if (leavesOutHidden && hasHiddenName(path.relative(bounds.root, realPath)))
    return skip(HIDDEN_END);
  const isExecutable = (stats.mode & 0o111) !== 0;
  const found = { path: file, realPath, relative: toPosix(relative), size: stats.size };
  return { kind: 'file', path: file, file: { ...found, isExecutable } };
}

/** `stat`, but undefined for a broken link. */
function statTarget(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

function isLinkToFolder(file: string): boolean {
  const own = lstatSync(file, { throwIfNoEntry: false });
  return own?.isSymbolicLink() === true && statTarget(file)?.isDirectory() === true;
}

const ARCHIVE = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml';

/** @throws InputError for links to folders and links out of the workspace */
function refuseLinks(searches: readonly Search[], workspace: string): void {
  const nameOf = (file: string) => quote(nameFor(file, workspace));
  const describeLink = (link: string) => `${nameOf(link)} to ${nameOf(realpathSync.native(link))}`;
  const undecided = new Set(searches.flatMap(each => each.undecided.map(nameOf)));
  const outside = new Set(searches.flatMap(each => each.outside.map(describeLink)));
  const problems: Problem[] = [];
  if (undecided.size > 0) {
    const links = `${formatCount(undecided.size, 'link')} to folders: ${listOf(undecided)}`;
    const choice =
      'true sends what they lead to, false skips them, a ! line in files excludes them';
    const message = `is not set, and the patterns match ${links}. Decide: ${choice}. Send trees of links, such as pnpm's node_modules, as an archive: ${ARCHIVE}`;
    problems.push({ input: 'follow-symlinks', message });
  }
  if (outside.size > 0) {
    const advice = 'Exclude them with ! lines, or copy what they lead to into the workspace.';
    const message = `links lead outside the workspace: ${listOf(outside)}. ${advice}`;
    problems.push({ input: 'files', message });
  }
  if (problems.length > 0) throw new InputError(problems);
}

function listOf(names: ReadonlySet<string>): string {
  const more = (rest: number) => `${formatNumber(rest)} more`;
  return abbreviate([...names], MAX_LINKS, { show: name => name, more }).join(', ');
}

function tooMany({ pattern }: FilePattern, maxFiles: number): InputError {
  const message = `${quote(pattern)} matches more than ${formatNumber(maxFiles)} files. Do links form a loop? Exclude what you do not need.`;
  return inputError('files', message);
}

/** Converts system errors to InputErrors; returns bugs unchanged. */
function searchError({ pattern }: FilePattern, error: unknown): unknown {
  if (!(error instanceof Error) || systemCode(error) === undefined) return error;
  // Node replaces bytes that are not UTF-8 with U+FFFD, and then finds no such file.
  const advice = error.message.includes('\uFFFD') ? ' A name is not valid UTF-8: rename it.' : '';
  return inputError('files', `${quote(pattern)} cannot be searched: ${error.message}.${advice}`);
}
