import { statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { FilePattern, FileRules } from '../inputs/files.ts';
import { allOf, inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatCount } from '../text/format.ts';
import { systemCode } from '../text/system-error.ts';
import { quote } from '../text/visible.ts';
import { badName, rootOf } from './glob.ts';
import { pathIn, pathWithin, toPosix } from './links.ts';
import { anchor, type Excludes, escaped, excludesOf, matcherOf, segmentsOf } from './pattern.ts';
import {
  type FoundFile,
  newWalk,
  type SkippedEntry,
  type Walk,
  type WalkOptions,
  walkAll,
} from './walk.ts';

/** What one pattern matches, sorted by path. */
export interface Matches {
  readonly pattern: FilePattern;
  /** Absolute path of what the pattern spells out before its first wildcard. */
  readonly root: string;
  readonly files: readonly FoundFile[];
  /** What is matched but cannot be uploaded. */
  readonly skipped: readonly SkippedEntry[];
  /** Hidden entries that were skipped, each with the line that would include it. */
  readonly hidden: readonly SkippedEntry[];
}

export interface FindOptions extends WalkOptions, Pick<Inputs<'upload'>, 'workingDirectory'> {}

/** The reason given if no single line would include a hidden entry. */
export const ALL_HIDDEN = 'include-hidden-files: true includes it';

/**
 * Finds the files of every pattern, in the order of the patterns. `warnings` name the lines that
 * excluded nothing.
 * @throws InputError for folders, names and links that cannot be used.
 */
export async function findFiles(
  rules: FileRules,
  options: FindOptions,
): Promise<{ readonly matches: readonly Matches[]; readonly warnings: readonly string[] }> {
  const directory = path.resolve(options.workspace, options.workingDirectory);
  requireDirectory(directory, options.workingDirectory);
  const excludes = excludesOf(rules.excludes, directory);
  const finding = rules.patterns.map(pattern => find({ pattern, directory, excludes }, options));
  const matches = await unlessCancelled(allOf(finding), options.cancel);
  const files = new Set(matches.flatMap(match => match.files.map(file => file.path)));
  const unused = files.size === 0 ? [] : excludes.unused();
  return { matches, warnings: unused.map(line => unusedLine(line, directory, [...files])) };
}

/** A pattern and where it starts. */
interface Line {
  readonly pattern: FilePattern;
  readonly directory: string;
  readonly excludes: Excludes;
}

async function find(line: Line, options: FindOptions): Promise<Matches> {
  const { directory, excludes } = line;
  const written = line.pattern.pattern;
  const pattern = anchor(written, directory);
  const root = await rootOf(pattern);
  const segments = segmentsOf(pattern).slice(segmentsOf(root).length);
  const match = matcherOf(pattern, excludes.isExcluded, options.includeHiddenFiles);
  for (let attempt = 1; ; attempt += 1) {
    const walk = newWalk({ written, root, segments, match, excludes }, options);
    try {
      await walkAll(walk);
      return matchesOf(line, walk);
    } catch (error) {
      if (attempt === 1 && hasVanished(error)) continue;
      throw walkError(walk, error);
    }
  }
}

function matchesOf(line: Line, { root, files, skipped, hidden }: Walk): Matches {
  return {
    pattern: line.pattern,
    root,
    files: files.toSorted(byPath),
    skipped: skipped.toSorted(byPath),
    hidden: hidden.toSorted().map(file => ({ path: file, reason: suggestLine(file, root, line) })),
  };
}

function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : 1;
}

/** What includes a hidden entry, at the target where the pattern would put it. */
function suggestLine(file: string, root: string, { directory, pattern }: Line): string {
  const [dotted = '', ...others] = (pathWithin(root, file) ?? '')
    .split(path.sep)
    .filter(name => name.startsWith('.'));
  // No wildcard leads behind a hidden name, and .git may hold the credentials of the checkout.
  if (others.length > 0 || dotted === '.git') return ALL_HIDDEN;
  const start = toPosix(escaped(pathWithin(directory, root) ?? root));
  const target = pattern.target === undefined ? '' : ` => ${pattern.target}`;
  return `the line ${quote(`${path.posix.join(start, '**', escaped(dotted))}${target}`)} includes it`;
}

/** A warning about a line that excluded nothing, with what it may have been meant to exclude. */
function unusedLine(line: string, directory: string, files: readonly string[]): string {
  const says = `${quote(`!${line}`)} excluded nothing`;
  const isAnchored = /^(\.{0,2}[\\/]|~)/.test(line);
  // Each name can take 32 ms with three stars, and no signal is heard meanwhile.
  const isSlow = /(\*[^\\/]*){3}/.test(line);
  const deep = `**/${line}`;
  const { isExcluded } = excludesOf([deep], directory);
  const count = isAnchored || isSlow ? 0 : files.filter(isExcluded).length;
  if (count === 0) return `${says} that the other lines match.`;
  return `${says}; ${quote(`!${deep}`)} would leave out ${formatCount(count, 'file')}.`;
}

function requireDirectory(directory: string, given: string): void {
  const problem = directoryProblem(directory);
  if (problem === undefined) return;
  const message =
    given === ''
      ? `the workspace ${problem} (${directory}).`
      : `${quote(given)} ${problem} (${directory}).`;
  throw inputError('working-directory', message, 'packages/app');
}

function directoryProblem(directory: string): string | undefined {
  // The library takes one pattern per line, trimmed.
  if (/[\r\n]|^\s|\s$/.test(directory))
    return 'has a line break, or a space at the start or end of its path';
  try {
    const stats = statSync(directory, { throwIfNoEntry: false });
    return stats?.isDirectory() ? undefined : 'is not a directory on the runner';
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return `is a directory that cannot be used: ${code}`;
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOENT: 'A folder vanished during the search.',
  EACCES: 'Let the runner read the folder, or upload another.',
  ELOOP: 'The link leads to itself: remove it, or set follow-symlinks: false.',
  ENOTDIR: 'The link leads nowhere: remove it, or set follow-symlinks: false.',
};

/** The error of a walk as the user can use it; a bug as it is. */
function walkError({ place, written }: Walk, error: unknown): unknown {
  const code = systemCode(error);
  if (!(error instanceof Error) || code === undefined) return error;
  const real = 'path' in error ? String(error.path) : '';
  const file = place === undefined || real === '' ? real : pathIn(place, real);
  if (code === 'ENOENT' && file.includes('\uFFFD')) return badName(file);
  const message = real === '' ? error.message : error.message.replace(real, () => file);
  const advice = ADVICE[code] === undefined ? '' : ` ${ADVICE[code]}`;
  return inputError('files', `${quote(written)} cannot be searched: ${message}.${advice}`);
}

/** True if something was gone between two calls; names that are not UTF-8 look the same. */
function hasVanished(error: unknown): boolean {
  const file = error instanceof Error && 'path' in error ? String(error.path) : '';
  return systemCode(error) === 'ENOENT' && !file.includes('\uFFFD');
}

/** No matches once the job is cancelled, which a glob that finds nothing does not notice. */
async function unlessCancelled(
  finding: Promise<readonly Matches[]>,
  cancel: AbortSignal,
): Promise<readonly Matches[]> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const abort = () => resolve();
  if (cancel.aborted) abort();
  cancel.addEventListener('abort', abort, { once: true });
  try {
    const matches = await Promise.race([finding, aborted]);
    // A signal that came while names were matched is only heard now.
    await setImmediate();
    await setImmediate();
    return cancel.aborted ? [] : (matches ?? []);
  } finally {
    cancel.removeEventListener('abort', abort);
  }
}
