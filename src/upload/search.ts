import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import path from 'node:path';
import { create } from '@actions/glob';
import pLimit from 'p-limit';
import { systemCode } from '../agent/file.ts';
import { type InputError, inputError } from '../inputs/parse.ts';
import { quote } from '../text/visible.ts';
import { escaped, type Matcher } from './pattern.ts';

/** A pattern and what is left out of it, all absolute. */
export interface Query {
  readonly pattern: string;
  readonly excludes: readonly string[];
  readonly match: Matcher;
  readonly followSymlinks: boolean;
  /** Whether names that begin with a dot may be passed over below what the pattern spells out. */
  readonly visibleOnly: boolean;
}

/** What a search found. */
export interface Hits {
  /** Absolute path of what the pattern spells out before its first wildcard. */
  readonly root: string;
  /** Absolute paths of all that is not a directory, sorted. */
  readonly paths: readonly string[];
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
    const globber = await create(lines(query.pattern, query));
    const [root = ''] = globber.getSearchPaths();
    const start = startOf(root);
    if (start === undefined || query.match.excludes(root)) return { root, paths: [] };
    const safely = { ...query, visibleOnly: query.visibleOnly && !spellsDots(query.pattern, root) };
    const isFolder = query.followSymlinks || start.isDirectory();
    const bound = { left: maxPaths };
    const parts = (isFolder ? split(root, safely) : [whole(query)]).map(part =>
      limit(() => find(part, safely, bound, cancel)),
    );
    const found = new Set((await Promise.all(parts)).flat());
    const again = query.followSymlinks ? leadsThrough(root) : () => false;
    return { root, paths: [...found].filter(file => !again(file)).sort() };
  };
}

/** What one search of the library looks for, and whether a directory that matches means everything in it. */
interface Part {
  readonly pattern: string;
  readonly descends: boolean;
}

async function find(part: Part, query: Query, bound: { left: number }, cancel: AbortSignal): Promise<string[]> {
  const globber = await create(lines(part.pattern, query), {
    followSymbolicLinks: query.followSymlinks,
    implicitDescendants: part.descends,
    matchDirectories: false,
    // The library asks for a dot in any name that it comes by, that of the root as well.
    excludeHiddenFiles: query.visibleOnly,
  });
  const paths: string[] = [];
  for await (const file of globber.globGenerator()) {
    if (cancel.aborted) break;
    bound.left -= 1;
    if (bound.left < 0) throw leadsTooFar(query.pattern, file);
    paths.push(file);
  }
  return paths;
}

function leadsTooFar(pattern: string, file: string): InputError {
  const why = 'leads to more than a million files, maybe since links lead round and round';
  return inputError('files', `${quote(pattern)} ${why}, such as to ${quote(file)}. Exclude what is not needed.`);
}

/** What a search starts at, if there is anything: a pattern that leads through a file, such as `README.md/*`, matches nothing. */
export function startOf(root: string): Stats | undefined {
  try {
    return lstatSync(root);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error;
    return undefined;
  }
}

function whole({ pattern }: Query): Part {
  return { pattern, descends: true };
}

function lines(pattern: string, { excludes }: Query): string {
  return [pattern, ...excludes.map(exclude => `!${exclude}`)].join('\n');
}

/** A search for everything in a folder, split by the folders in it, without those that are excluded whole. */
function split(root: string, query: Query): readonly Part[] {
  const { pattern, match, visibleOnly } = query;
  const literal = escaped(root);
  const isEverything = [literal, path.join(literal, '**'), path.join(literal, '**', '*')].includes(pattern);
  const entries = isEverything ? entriesOf(root) : [];
  const folders = entries.filter(entry => entry.isDirectory() || entry.isSymbolicLink());
  if (folders.length === 0 || folders.length > MAX_FOLDERS || !folders.every(isOneLine)) return [whole(query)];
  const searched = folders
    .map(({ name }) => name)
    .filter(name => !(visibleOnly && name.startsWith('.')) && !match.excludes(path.join(root, name)));
  const own = { pattern: path.join(literal, '*'), descends: false };
  return [own, ...searched.map(name => ({ pattern: path.join(literal, escaped(name)), descends: true }))];
}

/** Whether a link below `root` leads a path through it again: a search of a part does not know what it is a part of. */
function leadsThrough(root: string): (file: string) => boolean {
  const known = new Map([[root, false]]);
  let real: string | undefined;
  const isAgain = (folder: string): boolean => {
    real ??= realpathSync.native(root);
    const again = known.get(folder) ?? (isAgain(path.dirname(folder)) || realpathSync.native(folder) === real);
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
