import { type BigIntStats, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { identityOf } from '../agent/read-file.ts';
import { type InputError, inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatNumber } from '../text/format.ts';
import { systemCode } from '../text/system-error.ts';
import { quote } from '../text/visible.ts';
import { badName, globFolder } from './glob.ts';
import {
  boundsOf,
  closedFolders,
  follow,
  isWithin,
  type Place,
  pathIn,
  pathWithin,
  realIn,
  toPosix,
} from './links.ts';
import { type Excludes, type Matcher, segmentsOf } from './pattern.ts';

/** A regular file that a pattern matches. */
export interface FoundFile {
  readonly path: string;
  /** The path with its links resolved. */
  readonly realPath: string;
  /** From `identityOf`. */
  readonly identity: string;
  /** POSIX path below the root of the pattern; empty if the pattern spells out the file itself. */
  readonly relative: string;
  readonly size: number;
  /** On Windows, always false. */
  readonly isExecutable: boolean;
}

/** Something that a pattern matches and that is not uploaded. */
export interface SkippedEntry {
  readonly path: string;
  readonly reason: string;
}

export interface WalkOptions
  extends Pick<Inputs<'upload'>, 'followSymlinks' | 'includeHiddenFiles'> {
  /** Absolute path. */
  readonly workspace: string;
  readonly cancel: AbortSignal;
  /** When to give up, for tests. */
  readonly limits?: { readonly files: number; readonly links: number };
}

export interface ParsedPattern {
  /** The pattern as the user wrote it. */
  readonly written: string;
  /** Absolute path of what the pattern spells out before its first wildcard. */
  readonly root: string;
  /** The rest of the pattern. */
  readonly segments: readonly string[];
  readonly match: Matcher;
  readonly excludes: Excludes;
}

/** One walk, and what it has found so far. */
export interface Walk extends ParsedPattern, WalkOptions {
  /** The folders to walk; links add to them. */
  readonly places: Place[];
  /** The folder that is being walked. */
  place: Place | undefined;
  readonly files: FoundFile[];
  readonly skipped: SkippedEntry[];
  readonly hidden: string[];
}

const SYMBOLIC_LINK = 'a symbolic link';
export const BROKEN_LINK = 'a broken link';
/** A pipe, a socket or a device. */
export const NOT_REGULAR = 'not a regular file';
const HIDDEN_END = 'a link to something hidden';

// Paths grow by the factorial of the number of folders that link to each other.
const LIMITS = { files: 1_000_000, links: 10_000 };

export function newWalk(pattern: ParsedPattern, options: WalkOptions): Walk {
  return {
    ...pattern,
    ...options,
    places: [],
    place: undefined,
    files: [],
    skipped: [],
    hidden: [],
  };
}

/** Finds everything from the root on, until the signal aborts. */
export async function walkAll(walk: Walk): Promise<void> {
  const { root, workspace, places } = walk;
  if (lstatIfThere(root) === undefined) return;
  const above = path.dirname(root);
  const real = realpathSync.native(above);
  visit(walk, root, { path: above, real, way: [], bounds: boundsOf(workspace, above) });
  for (const place of places) {
    walk.place = place;
    await walkPlace(walk, place);
  }
}

async function walkPlace(walk: Walk, place: Place): Promise<void> {
  const isVisibleOnly = skipsDotNames(walk, place);
  if (isVisibleOnly) noteHiddenIn(walk, place.path, place.real);
  const closed = closedFolders(place);
  const entries = globFolder(place.real, {
    segments: segmentsLeft(walk, place),
    isVisibleOnly,
    isExcluded: folder => walk.excludes.prunes(pathIn(place, folder)),
  });
  for await (const entry of entries) {
    if (walk.cancel.aborted) return;
    if (closed.some(folder => isWithin(folder, entry))) continue;
    visit(walk, pathIn(place, entry), place);
  }
}

/** The part of the pattern below a place. */
function segmentsLeft({ root, segments }: Walk, place: Place): readonly string[] {
  const depth = segmentsOf(pathWithin(root, place.path) ?? '').length;
  return segments.slice(0, depth).includes('**') ? ['**'] : segments.slice(depth);
}

/**
 * True if hidden folders are not entered, since files come and go in .git. The library would also
 * skip hidden names that the pattern spells out, and a start folder that is hidden itself.
 */
function skipsDotNames({ includeHiddenFiles, segments }: Walk, { real }: Place): boolean {
  if (includeHiddenFiles || path.basename(real).startsWith('.')) return false;
  return !segments.some(segment => /^\\?\[?\./.test(segment));
}

/** Something that a walk meets in a place. */
interface Entry {
  readonly path: string;
  /** The path with its links resolved, but for the entry itself. */
  readonly own: string;
  readonly place: Place;
}

function visit(walk: Walk, file: string, place: Place): void {
  const { match, skipped, followSymlinks } = walk;
  const own = realIn(place, file);
  const entry: Entry = { path: file, own, place };
  const stats = lstatIfThere(own);
  if (stats === undefined) {
    if (file.includes('\uFFFD')) throw badName(file);
    return;
  }
  if (stats.isSymbolicLink() && followSymlinks) visitLink(walk, entry);
  else if (stats.isDirectory()) visitFolder(walk, entry);
  else if (match.hides(file)) noteHidden(walk, file);
  else if (!match.wants(file)) return;
  else if (stats.isSymbolicLink()) skipped.push({ path: file, reason: SYMBOLIC_LINK });
  // The root may be spelled differently from its name in the file system.
  else addFile(walk, entry, stats, file === walk.root ? realpathSync.native(own) : own);
}

function visitFolder(walk: Walk, entry: Entry): void {
  const { match, excludes, root } = walk;
  if (excludes.prunes(entry.path)) return;
  if (entry.path === root) enter(walk, entry);
  else if (skipsDotNames(walk, entry.place)) noteHiddenIn(walk, entry.path, entry.own);
  else if (match.hides(entry.path)) noteHidden(walk, entry.path);
}

function visitLink(walk: Walk, entry: Entry): void {
  const { match, excludes, skipped } = walk;
  const { path: link, own } = entry;
  if (excludes.prunes(link)) return;
  const isWanted = match.wants(link);
  if (!isWanted && !match.mayHold(link)) return;
  const isHidden = match.hides(link);
  const end = isHidden && match.hidesBelow(link) ? undefined : statOfEnd(own);
  if (end?.isDirectory()) enter(walk, entry);
  else if (isHidden) noteHidden(walk, link);
  else if (!isWanted) return;
  else if (end === undefined) skipped.push({ path: link, reason: BROKEN_LINK });
  else addFile(walk, entry, end, realpathSync.native(own));
}

/** What is at the end of a link; undefined if it is broken. */
function statOfEnd(link: string): BigIntStats | undefined {
  try {
    return statSync(link, { bigint: true });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Adds the root, or the folder at the end of a link, to the places to walk. */
function enter(walk: Walk, { path: folder, own, place }: Entry): void {
  const { root, workspace, places, written, limits = LIMITS } = walk;
  const entered =
    folder === root
      ? { path: root, real: realpathSync.native(own), way: [], bounds: boundsOf(workspace, root) }
      : follow(folder, place);
  if (entered === undefined) return;
  places.push(entered);
  if (places.length <= limits.links) return;
  const what = `leads through more than ${formatNumber(limits.links)} links to folders`;
  throw tooMany(written, what, folder);
}

/** Adds a file; `stats` are those of the end of a link. */
function addFile(walk: Walk, entry: Entry, stats: BigIntStats, realPath: string): void {
  const { root, includeHiddenFiles, skipped, files, written, limits = LIMITS } = walk;
  const { path: file, own, place } = entry;
  if (!stats.isFile()) {
    skipped.push({ path: file, reason: NOT_REGULAR });
    return;
  }
  place.bounds.check(file, path.dirname(own), realPath);
  if (!includeHiddenFiles && place.bounds.isHidden(file, realPath)) {
    skipped.push({ path: file, reason: HIDDEN_END });
    return;
  }
  files.push({
    path: file,
    realPath,
    identity: identityOf(stats),
    relative: toPosix(pathWithin(root, file) ?? ''),
    size: Number(stats.size),
    isExecutable: (stats.mode & 0o111n) !== 0n,
  });
  if (files.length <= limits.files) return;
  throw tooMany(written, `matches more than ${formatNumber(limits.files)} files`, file);
}

function tooMany(written: string, what: string, example: string): InputError {
  const advice = 'Do links form a loop? Exclude what you do not need.';
  return inputError(
    'files',
    `${quote(written)} ${what} (for example ${quote(example)}). ${advice}`,
  );
}

function noteHiddenIn(walk: Walk, folder: string, real: string): void {
  for (const name of readdirSync(real))
    if (name.startsWith('.')) noteHidden(walk, path.join(folder, name));
}

/** Notes something hidden that the pattern matches, unless its folder has been noted. */
function noteHidden({ match, excludes, hidden, root }: Walk, file: string): void {
  const isNoted = (each: string) => match.hides(each) && match.wants(each);
  if (!isNoted(file)) return;
  const folder = path.dirname(file);
  if (folder !== root && isNoted(folder)) return;
  excludes.markUsed(file);
  hidden.push(file);
}

/** Undefined also if the path leads through a file, such as README.md/x. */
function lstatIfThere(file: string): BigIntStats | undefined {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
