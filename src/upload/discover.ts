import { statSync } from 'node:fs';
import path from 'node:path';
import { systemCode } from '../agent/file.ts';
import type { FilePattern, FileRules } from '../inputs/files.ts';
import { allOf, inputError } from '../inputs/parse.ts';
import type { Inputs } from '../inputs/table.ts';
import { formatCount } from '../text/units.ts';
import { quote } from '../text/visible.ts';
import { anchor, escaped, excludesOf, type Matcher, matcher } from './pattern.ts';
import { openSearch, type Search } from './search.ts';
import {
  ALL_HIDDEN,
  BROKEN_LINK,
  type LeftOut,
  pathWithin,
  type SearchOptions,
  type SourceFile,
  sortOut,
  toPosix,
} from './sources.ts';

/** What one pattern matches. */
export interface Matches {
  readonly pattern: FilePattern;
  /** Absolute path that the search started at. */
  readonly root: string;
  readonly files: readonly SourceFile[];
  readonly leftOut: readonly LeftOut[];
  /** What was passed over for a name that begins with a dot, each with what takes it. */
  readonly hidden: readonly LeftOut[];
}

export interface DiscoverOptions extends SearchOptions, Pick<Inputs<'upload'>, 'workingDirectory'> {
  /** Absolute path of the workspace. */
  readonly workspace: string;
}

/**
 * Searches the files of every pattern, in their order; `warnings` are on lines that excluded nothing. @throws InputError for
 * places, names and links that cannot be used.
 */
export async function discover(rules: FileRules, options: DiscoverOptions) {
  const directory = path.resolve(options.workspace, options.workingDirectory);
  requireDirectory(directory, options.workingDirectory);
  const excludes = excludesOf(rules.excludes, exclude => anchor(exclude, directory));
  const search = openSearch();
  const all = rules.patterns.map(pattern => {
    const place = { directory, pattern, match: matcher(anchor(pattern.pattern, directory), excludes) };
    return findMatches(place, search, options).catch((error: unknown) => {
      throw unsearchable(place, error);
    });
  });
  // A search does not hear of the end of a job while it finds nothing.
  const matches = await unlessAborted<readonly Matches[]>(options.cancel, allOf(all), []);
  const found = new Set(matches.flatMap(match => match.files.map(file => file.path)));
  const idle = found.size === 0 ? [] : excludes.idle();
  return { matches, warnings: idle.map(line => idleLine(line, directory, [...found])) };
}

/** A warning on a line that excluded nothing, with what it was maybe meant to exclude. */
function idleLine(line: string, directory: string, found: readonly string[]): string {
  const says = `${quote(`!${line}`)} excluded nothing`;
  const deep = `**/${line}`;
  const { excludes } = excludesOf([deep], () => anchor(deep, directory));
  const count = /^(\.{0,2}[\\/]|~)/.test(line) ? 0 : found.filter(excludes).length;
  if (count === 0) return `${says} that the other lines match.`;
  return `${says}; ${quote(`!${deep}`)} would leave out ${formatCount(count, 'file')}.`;
}

/** A pattern and where it is to be searched. */
interface Place {
  /** Where relative patterns start. */
  readonly directory: string;
  readonly pattern: FilePattern;
  readonly match: Matcher;
}

async function findMatches(place: Place, search: Search, options: DiscoverOptions): Promise<Matches> {
  const { pattern, match } = place;
  const { root, paths, brokenLinks, hidden } = await search(match, options);
  const shown = options.includeHiddenFiles ? paths : paths.filter(file => !match.hides(file));
  const { files, leftOut } = await sortOut(root, shown, options);
  const broken = brokenLinks.map(file => ({ path: file, reason: BROKEN_LINK }));
  const passedOver = hidden.map(file => ({ path: file, reason: wayTo(file, root, place) }));
  return { pattern, root, files, leftOut: [...leftOut, ...broken], hidden: passedOver };
}

/** What takes a hidden file to where the pattern would. */
function wayTo(file: string, root: string, { directory, pattern: { target } }: Place): string {
  const [dotted = '', ...others] = (pathWithin(root, file) ?? '').split(path.sep).filter(name => name.startsWith('.'));
  // A wildcard leads to no name behind a hidden one, and the history of the checkout may hold its credentials.
  if (others.length > 0 || dotted === '.git') return ALL_HIDDEN;
  const start = toPosix(escaped(pathWithin(directory, root) ?? root));
  const line = `${path.posix.join(start, '**', escaped(dotted))}${target === undefined ? '' : ` => ${target}`}`;
  return `the line ${quote(line)} includes it`;
}

function requireDirectory(directory: string, given: string): void {
  const isThere = statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
  // The library takes its patterns as lines, trimmed.
  if (isThere && !/[\r\n]|^\s|\s$/.test(directory)) return;
  const why = isThere
    ? 'has a line break, or a space at the start or end of its path'
    : 'is not a directory on the runner';
  const message = `${quote(given)} ${why} (${directory}).`;
  throw inputError('working-directory', message, 'packages/app');
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOENT: ' A folder vanished during the search.',
  EACCES: ' Let the runner read the folder, or upload another.',
  ELOOP: ' The link leads to itself: remove it, or set follow-symlinks: false.',
  ENOTDIR: ' The link leads nowhere: remove it, or set follow-symlinks: false.',
};

function unsearchable({ pattern: { pattern } }: Place, error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined || !(error instanceof Error)) return error;
  // Without following links, the library does not step over a name that it cannot ask about, be it excluded.
  const stumbled = code === 'ENOENT' && 'path' in error ? String(error.path) : '';
  const isBadName = stumbled.includes('\uFFFD');
  const advice = isBadName ? ' Rename it, or set follow-symlinks: true.' : (ADVICE[code] ?? '');
  return inputError('files', `${quote(pattern)} cannot be searched: ${error.message}.${advice}`);
}

/** What a promise comes to, or `fallback` as soon as the signal aborts. */
function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>, fallback: T): Promise<T> {
  const { promise: aborted, resolve } = Promise.withResolvers<T>();
  const abort = () => resolve(fallback);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([aborted, promise]).finally(() => signal.removeEventListener('abort', abort));
}
