import { readdirSync } from 'node:fs';
import path from 'node:path';
import { create } from '@actions/glob';
import { type InputError, inputError } from '../inputs/input-error.ts';
import { isWithin } from './links.ts';
import { escaped } from './pattern.ts';

export interface GlobOptions {
  /** The part of the pattern that is below the folder. */
  readonly segments: readonly string[];
  readonly isVisibleOnly: boolean;
  /** True if nothing in a folder is wanted; real paths. */
  readonly isExcluded: (folder: string) => boolean;
}

/** The absolute path that a pattern spells out before its first wildcard. */
export async function rootOf(pattern: string): Promise<string> {
  const globber = await create(pattern);
  return globber.getSearchPaths()[0] ?? '';
}

/**
 * Yields everything in a real folder that the pattern may match, and links, but nothing behind one.
 * @throws InputError for names that are not valid UTF-8, and the system's errors.
 */
export async function* globFolder(folder: string, options: GlobOptions): AsyncGenerator<string> {
  const { direct, lines } = splitFolder(folder, options) ?? {
    direct: [],
    lines: linesFor(folder, options.segments),
  };
  yield* direct;
  if (lines.length === 0) return;
  // With links followed by the library, broken ones vanish, and a link to itself ends the search.
  const globber = await create(lines.join('\n'), {
    followSymbolicLinks: false,
    implicitDescendants: false,
    matchDirectories: true,
    excludeHiddenFiles: options.isVisibleOnly,
  });
  const unclear = new Set<string>();
  for await (const entry of globber.globGenerator()) {
    if (entry === folder || !isWithin(folder, entry)) continue;
    // Node reads two different names that are not valid UTF-8 as one.
    if (entry.includes('\uFFFD')) {
      if (unclear.has(entry)) throw badName(entry);
      unclear.add(entry);
    }
    yield entry;
  }
}

/** The error for a name that Node cannot read: it contains U+FFFD in place of what is not UTF-8. */
export function badName(file: string): InputError {
  return inputError(
    'files',
    `${JSON.stringify(file)} has a name that is not valid UTF-8. Rename it.`,
  );
}

// The library tests every path against every line.
const MAX_FOLDERS = 32;

/**
 * The entries without excluded subfolders, since the library enters what it is told to exclude.
 * Undefined if there are none, or if it does not pay off.
 */
function splitFolder(folder: string, { segments, isVisibleOnly, isExcluded }: GlobOptions) {
  if (segments.length > 0 && segments[0] !== '**') return undefined;
  const all = readdirSync(folder, { withFileTypes: true });
  const entries = isVisibleOnly ? all.filter(({ name }) => !name.startsWith('.')) : all;
  const isUnclear = entries.some(({ name }) => name.includes('\uFFFD'));
  const pathOf = ({ name }: { readonly name: string }) => path.join(folder, name);
  const folders = entries.filter(entry => entry.isDirectory()).map(pathOf);
  const kept = folders.filter(each => !isExcluded(each));
  const paysOff = kept.length < folders.length && kept.length <= MAX_FOLDERS;
  if (isUnclear || !paysOff) return undefined;
  const direct = entries.filter(entry => !entry.isDirectory()).map(pathOf);
  return { direct, lines: kept.map(each => path.join(literal(each), '**')) };
}

/** The library yields a link only if a whole line matches it, so each part before ** is a line. */
function linesFor(folder: string, segments: readonly string[]): string[] {
  const lines: string[] = [];
  let line = literal(folder);
  for (const segment of segments) {
    if (segment === '**') break;
    line = path.join(line, simplified(segment));
    lines.push(line);
  }
  return [...lines, path.join(line, '**')];
}

// With three stars, a name can take 32 ms, and no signal is heard between names that do not match.
// The library also trims its lines, so a space at their end would be lost.
function simplified(segment: string): string {
  return segment.split('*').length > 3 || /\s$/.test(segment) ? '*' : segment;
}

// A line break would end the line, and the library prints control characters to the debug log.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function literal(folder: string): string {
  return escaped(folder).replace(UNPRINTABLE, character => '?'.repeat(character.length));
}
