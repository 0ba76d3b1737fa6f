import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemCode } from '../agent/file.ts';
import type { Matcher } from './pattern.ts';
import { startOf } from './search.ts';

/** What a search passes over without a word, of what its pattern matches; absolute paths. */
export interface Overlooked {
  readonly brokenLinks: readonly string[];
  /** Names that are not valid UTF-8, with U+FFFD for what is not. */
  readonly unreadable: readonly string[];
  /** How many are hidden, where these are counted: a name that begins with a dot leads to them through a wildcard. */
  readonly hidden: number;
}

export interface OverlookedOptions {
  readonly followSymlinks: boolean;
  /** What becomes of what is hidden. */
  readonly hidden: 'taken' | 'counted' | 'passed over';
  readonly cancel: AbortSignal;
}

// After so many folders, others get their turn: a cancelled job must not wait for the end.
const TURN = 100;

/** Looks for what a search does not tell of: names that are not valid UTF-8, and broken links. @throws the system's error. */
export async function findOverlooked(root: string, match: Matcher, options: OverlookedOptions): Promise<Overlooked> {
  const { hidden } = options;
  const found = { brokenLinks: [] as string[], unreadable: [] as string[], hidden: 0 };
  const { isFolder: isTree, flaw: ownFlaw } = lookAt(root, options);
  if (ownFlaw !== undefined && match.wants(root)) found[ownFlaw].push(root);
  const seen = new Set<string>();
  const folders: Folder[] = isTree ? [{ path: root, above: [] }] : [];
  for (let looked = 1; !options.cancel.aborted; looked += 1) {
    const folder = folders.pop();
    if (folder === undefined) break;
    const real = realpathSync.native(folder.path);
    // Within itself, and by another way at the same depth, a folder is not entered again.
    const key = `${folder.above.length} ${real}`;
    if (folder.above.includes(real) || seen.has(key)) continue;
    seen.add(key);
    const above = [...folder.above, real];
    for (const { file, isFolder, flaw } of entriesOf(folder.path, options)) {
      const isWanted = isFolder ? match.mayHold(file, hidden === 'passed over') : match.wants(file);
      if (!isWanted) continue;
      if (!isFolder && hidden !== 'taken' && match.hides(file)) found.hidden += hidden === 'counted' ? 1 : 0;
      else if (flaw !== undefined) found[flaw].push(file);
      else if (isFolder) folders.push({ path: file, above });
    }
    if (looked % TURN === 0) await setImmediate();
  }
  return found;
}

interface Folder {
  readonly path: string;
  /** The real paths of the folders that it lies in. */
  readonly above: readonly string[];
}

/** Something in a folder. */
interface Entry {
  readonly file: string;
  /** Whether it is a folder, or a link to one that is followed. */
  readonly isFolder: boolean;
  readonly flaw: 'brokenLinks' | 'unreadable' | undefined;
}

/** What may have been overlooked in a folder, and the folders in it. */
function* entriesOf(folder: string, options: OverlookedOptions): Generator<Entry> {
  for (const entry of readdirSync(folder, { encoding: 'buffer', withFileTypes: true })) {
    const isReadable = isUtf8(entry.name);
    // Most entries, and of no interest.
    if (isReadable && entry.isFile() && options.hidden !== 'counted') continue;
    const file = path.join(folder, entry.name.toString());
    if (!isReadable) yield { file, isFolder: entry.isDirectory(), flaw: 'unreadable' };
    else yield { file, ...kindOf(entry, file, options) };
  }
}

function lookAt(root: string, options: OverlookedOptions): Omit<Entry, 'file'> {
  const start = startOf(root);
  return start === undefined ? { isFolder: false, flaw: undefined } : kindOf(start, root, options);
}

function kindOf(
  found: Pick<Dirent<Buffer>, 'isDirectory' | 'isSymbolicLink'>,
  file: string,
  { followSymlinks }: OverlookedOptions,
): Omit<Entry, 'file'> {
  if (!found.isSymbolicLink() || !followSymlinks) return { isFolder: found.isDirectory(), flaw: undefined };
  try {
    return { isFolder: statSync(file).isDirectory(), flaw: undefined };
  } catch (error) {
    // Where another reason than a missing end keeps a search from going on, it has said so.
    if (systemCode(error) === undefined) throw error;
    return { isFolder: false, flaw: 'brokenLinks' };
  }
}
