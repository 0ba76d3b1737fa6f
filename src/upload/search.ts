import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';
import { create } from '@actions/glob';
import pLimit from 'p-limit';
import { type InputError, inputError } from '../inputs/parse.ts';
import { quote } from '../text/visible.ts';
import { findOverlooked } from './overlooked.ts';
import { escaped, type Matcher } from './pattern.ts';
import { type RealPath, realPaths } from './sources.ts';

/** What to search for. */
export interface Query {
  /** Absolute. */
  readonly pattern: string;
  readonly match: Matcher;
  readonly followSymlinks: boolean;
  readonly includeHiddenFiles: boolean;
}

/** What a search found. */
export interface Hits {
  /** Absolute path of what the pattern spells out before its first wildcard. */
  readonly root: string;
  /** Absolute paths of all that is not a directory, sorted. */
  readonly paths: readonly string[];
  /** Absolute paths of links that lead nowhere. */
  readonly brokenLinks: readonly string[];
  /** Absolute paths of files that are hidden by a name that begins with a dot. */
  readonly hidden: readonly string[];
}

/** Searches the file system for a pattern; ends early where `cancel` aborts. */
export type Search = (query: Query, cancel: AbortSignal) => Promise<Hits>;

// Links between folders have paths without end; a search must not end by running out of memory.
const MAX_PATHS = 1_000_000;

// A search waits for the file system most of the time: so many at once take a quarter of the time of one after the other.
const SEARCHES = 8;

// More folders are left to one search: each of its own costs a millisecond.
const MAX_FOLDERS = 32;

/** A search that looks in several places at once. @throws InputError for a pattern that leads to more than `maxPaths`. */
export function openSearch(maxPaths = MAX_PATHS): Search {
  const limit = pLimit(SEARCHES);
  return async (query, cancel) => {
    const { pattern, match, includeHiddenFiles } = query;
    const [root = ''] = (await create(pattern)).getSearchPaths();
    const realPath = realPaths(root);
    const overlooked = await findOverlooked(root, match, { ...query, realPath, cancel });
    const { isFolder, unreadable, brokenLinks, hidden } = overlooked;
    if (unreadable[0] !== undefined) throw unreadableName(unreadable[0]);
    if (isFolder === undefined || match.prunes(root)) return { root, paths: [], brokenLinks, hidden };
    const visibleOnly = !includeHiddenFiles && !spellsDots(pattern, root);
    // Where there is no link to follow, asking for the real path of every folder would only take time.
    const part = { ...query, visibleOnly, followSymlinks: query.followSymlinks && !overlooked.isPlain };
    const bound = { left: maxPaths };
    const parts = (isFolder ? split(root, part) : [whole(query)]).map(each =>
      limit(() => find({ ...part, ...each }, bound, cancel)),
    );
    const found = new Set((await Promise.all(parts)).flat());
    const again = part.followSymlinks ? leadsThrough(root, realPath) : () => false;
    return { root, paths: [...found].filter(file => !again(file)).sort(), brokenLinks, hidden };
  };
}

/** What one search of the library looks for, and whether a directory that matches means everything in it. */
interface Part {
  readonly pattern: string;
  readonly descends: boolean;
}

/** How parts are searched: names that begin with a dot may be passed over below what the pattern spells out. */
interface Manner extends Query {
  readonly visibleOnly: boolean;
}

async function find(part: Part & Manner, bound: { left: number }, cancel: AbortSignal): Promise<string[]> {
  const globber = await create(part.pattern, {
    followSymbolicLinks: part.followSymlinks,
    implicitDescendants: part.descends,
    matchDirectories: false,
    // The library asks for a dot in any name that it comes by, that of the root as well.
    excludeHiddenFiles: part.visibleOnly,
  });
  const paths: string[] = [];
  for await (const file of globber.globGenerator()) {
    if (cancel.aborted) break;
    // The library would pass over it too, and not say what excluded something.
    if (part.match.excludes(file)) continue;
    bound.left -= 1;
    if (bound.left < 0) throw leadsTooFar(part.pattern, file);
    paths.push(file);
  }
  return paths;
}

function unreadableName(file: string): InputError {
  const why = 'has a name that is not valid UTF-8. Rename it, or exclude it with a ! line.';
  return inputError('files', `${JSON.stringify(file)} ${why}`);
}

function leadsTooFar(pattern: string, file: string): InputError {
  const why = 'leads to more than a million files, perhaps because links form a loop';
  return inputError('files', `${quote(pattern)} ${why}, such as to ${quote(file)}. Exclude what is not needed.`);
}

function whole({ pattern }: Query): Part {
  return { pattern, descends: true };
}

/** A search for everything in a folder, split by the folders in it, without those that are excluded whole. */
function split(root: string, query: Manner): readonly Part[] {
  const { pattern, match, visibleOnly } = query;
  const literal = escaped(root);
  const isEverything = [literal, path.join(literal, '**'), path.join(literal, '**', '*')].includes(pattern);
  const entries = isEverything ? entriesOf(root) : [];
  const folders = entries.filter(entry => entry.isDirectory() || entry.isSymbolicLink());
  if (folders.length === 0 || folders.length > MAX_FOLDERS || !folders.every(isOneLine)) return [whole(query)];
  const searched = folders
    .map(({ name }) => name)
    .filter(name => !(visibleOnly && name.startsWith('.')) && !match.prunes(path.join(root, name)));
  const own = { pattern: path.join(literal, '*'), descends: false };
  return [own, ...searched.map(name => ({ pattern: path.join(literal, escaped(name)), descends: true }))];
}

/** Whether a link below `root` leads a path through it again: a search of a part does not know what it is a part of. */
function leadsThrough(root: string, realPath: RealPath): (file: string) => boolean {
  const known = new Map([[root, false]]);
  const isAgain = (folder: string): boolean => {
    const again = known.get(folder) ?? (isAgain(path.dirname(folder)) || realPath(folder) === realPath(root));
    known.set(folder, again);
    return again;
  };
  return file => file !== root && isAgain(path.dirname(file));
}

/** The library takes its patterns as lines, trimmed. */
function isOneLine({ name }: Dirent): boolean {
  return name.trim() === name && !/[\r\n]/.test(name);
}

function entriesOf(root: string): Dirent[] {
  try {
    return readdirSync(root, { withFileTypes: true });
  } catch {
    // The search itself says what is wrong.
    return [];
  }
}

/** Whether a name that begins with a dot is spelled out: the last of the root, or one between wildcards. */
function spellsDots(pattern: string, root: string): boolean {
  const below = pattern.split(path.sep === '/' ? '/' : /[\\/]/).slice(root.split(path.sep).length);
  return path.basename(root).startsWith('.') || below.some(name => /^\[?\./.test(name));
}
