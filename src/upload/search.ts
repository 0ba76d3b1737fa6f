import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';
import { create } from '@actions/glob';
import pLimit from 'p-limit';
import { type InputError, inputError } from '../inputs/parse.ts';
import { quote } from '../text/visible.ts';
import { findOverlooked, type Overlooked } from './overlooked.ts';
import { escaped, type Matcher } from './pattern.ts';
import { type RealPath, realPaths, type SearchOptions } from './sources.ts';

/** What a search found. */
export interface Hits extends Pick<Overlooked, 'brokenLinks' | 'hidden'> {
  /** Absolute path of what the pattern spells out before its first wildcard. */
  readonly root: string;
  /** Absolute paths of all that is not a directory, sorted. */
  readonly paths: readonly string[];
}

/** Searches the file system for the pattern of a matcher. */
export type Search = (match: Matcher, options: SearchOptions) => Promise<Hits>;

// Links between folders have paths without end; a search must not end by running out of memory.
const MAX_PATHS = 1_000_000;

// A search waits for the file system most of the time: so many at once take a quarter of the time of one after the other.
const SEARCHES = 8;

// Of more folders, each has a search of its own only where there are so many entries for each that it takes less time.
const FEW_FOLDERS = 32;
const MANY_ENTRIES = 10;

/** A search that looks in several places at once. @throws InputError for a pattern that leads to more than `maxPaths`. */
export function openSearch(maxPaths = MAX_PATHS): Search {
  const limit = pLimit(SEARCHES);
  return async (match, options) => {
    const [root = ''] = (await create(match.pattern)).getSearchPaths();
    const realPath = realPaths(root);
    const overlooked = await findOverlooked(root, match, { ...options, realPath });
    const { isFolder, unreadable, brokenLinks, hidden, entries } = overlooked;
    if (unreadable[0] !== undefined) throw unreadableName(unreadable[0]);
    if (isFolder === undefined || match.prunes(root)) return { root, paths: [], brokenLinks, hidden };
    const visibleOnly = !options.includeHiddenFiles && !spellsDots(match.pattern, root);
    // Where there is no link to follow, asking for the real path of every folder would only take time.
    const followSymlinks = options.followSymlinks && !overlooked.isPlain;
    const manner = { match, visibleOnly, followSymlinks, cancel: options.cancel, bound: { left: maxPaths } };
    const parts = (isFolder ? split(root, manner, entries) : undefined) ?? [{ pattern: match.pattern, descends: true }];
    const searches = parts.map(part => limit(() => find(part, manner)));
    const found = new Set((await Promise.all(searches)).flat());
    const again = followSymlinks ? leadsThrough(root, realPath) : () => false;
    return { root, paths: [...found].filter(file => !again(file)).sort(), brokenLinks, hidden };
  };
}

/** What one search of the library looks for, and whether a directory that matches means everything in it. */
interface Part {
  readonly pattern: string;
  readonly descends: boolean;
}

/** How all parts are searched. */
interface Manner extends Pick<SearchOptions, 'followSymlinks' | 'cancel'> {
  readonly match: Matcher;
  /** Whether names that begin with a dot are passed over below what the pattern spells out. */
  readonly visibleOnly: boolean;
  /** How many more paths the parts may yield together. */
  readonly bound: { left: number };
}

async function find({ pattern, descends }: Part, manner: Manner): Promise<string[]> {
  const { match, visibleOnly, followSymlinks, cancel, bound } = manner;
  const globber = await create(pattern, {
    followSymbolicLinks: followSymlinks,
    implicitDescendants: descends,
    matchDirectories: false,
    // The library asks for a dot in any name that it comes by, that of the root as well.
    excludeHiddenFiles: visibleOnly,
  });
  const paths: string[] = [];
  for await (const file of globber.globGenerator()) {
    if (cancel.aborted) break;
    // The library would pass over it too, and not say what excluded something.
    if (match.excludes(file)) continue;
    bound.left -= 1;
    if (bound.left < 0) throw leadsTooFar(pattern, file);
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

/** A search for everything in a folder, split by those in it that are not excluded whole; undefined of any other. */
function split(root: string, { match, visibleOnly }: Manner, total: number): readonly Part[] | undefined {
  const literal = escaped(root);
  const isEverything = [literal, path.join(literal, '**'), path.join(literal, '**', '*')].includes(match.pattern);
  const entries = isEverything ? entriesOf(root) : [];
  const folders = entries.filter(entry => entry.isDirectory() || entry.isSymbolicLink());
  const isWorthIt = folders.length <= Math.max(FEW_FOLDERS, total / MANY_ENTRIES);
  if (folders.length === 0 || !isWorthIt || !folders.every(isOneLine)) return undefined;
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

/** What is in a folder; nothing where it cannot be read. */
export function entriesOf(root: string): Dirent[] {
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
