import { isUtf8 } from 'node:buffer';
import { type Dirent, lstatSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemCode } from '../agent/file.ts';
import type { Matcher } from './pattern.ts';
import type { RealPath, SearchOptions } from './sources.ts';

/** What a search passes over without a word, of what its pattern matches; absolute paths. */
export interface Overlooked {
  /** Whether the search starts at a folder, or a link to one that is followed; undefined where nothing is there. */
  readonly isFolder: boolean | undefined;
  readonly brokenLinks: readonly string[];
  /** Names that are not valid UTF-8, with U+FFFD for what is not. */
  readonly unreadable: readonly string[];
  /** Files that are hidden: a name that begins with a dot leads to them through a wildcard. */
  readonly hidden: readonly string[];
  /** Whether no folder is there but those looked at, and no link: none that a search could follow. */
  readonly isPlain: boolean;
  /** How many files and folders were looked at. */
  readonly entries: number;
}

// After so many folders, others get their turn: a cancelled job must not wait for the end.
const TURN = 100;

const DOT = 0x2e;

/** Looks for what a search does not tell of: names that are not valid UTF-8, and broken links. @throws the system's error. */
export async function findOverlooked(
  root: string,
  match: Matcher,
  options: SearchOptions & { readonly realPath: RealPath },
): Promise<Overlooked> {
  const { isFolder, isLink, flaw } = lookAt(root, options);
  const lists = { brokenLinks: [] as string[], unreadable: [] as string[], hidden: [] as string[] };
  const found = { ...lists, isFolder, isPlain: !isLink, entries: 0 };
  if (flaw !== undefined && match.wants(root)) found[flaw].push(root);
  const seen = new Set<string>();
  const folders: Folder[] = isFolder === true ? [{ path: root, above: [], isHidden: false }] : [];
  for (let looked = 1; !options.cancel.aborted; looked += 1) {
    const folder = folders.pop();
    if (folder === undefined) break;
    const real = options.realPath(folder.path);
    // Within itself, and by another way at the same depth, a folder is not entered again.
    const key = `${folder.above.length} ${real}`;
    if (folder.above.includes(real) || seen.has(key)) continue;
    seen.add(key);
    const above = [...folder.above, real];
    const entries = readdirSync(folder.path, { encoding: 'buffer', withFileTypes: true });
    found.entries += entries.length;
    for (const { file, isFolder, isLink, flaw } of notable(entries, folder, options)) {
      const isWanted = isFolder ? match.mayHold(file) : match.wants(file);
      const isHidden = !options.includeHiddenFiles && match.hides(file);
      found.isPlain &&= !isLink && (isWanted || !isFolder);
      if (!isWanted) continue;
      if (isHidden && !isFolder) found.hidden.push(file);
      else if (flaw !== undefined) found[flaw].push(file);
      else if (isFolder) folders.push({ path: file, above, isHidden });
    }
    if (looked % TURN === 0) await setImmediate();
  }
  return found;
}

interface Folder {
  readonly path: string;
  /** The real paths of the folders that it lies in. */
  readonly above: readonly string[];
  readonly isHidden: boolean;
}

/** What something in a folder is. */
interface Kind {
  /** Whether it is a folder, or a link to one that is followed. */
  readonly isFolder: boolean;
  /** Whether it is a link, or has a name that a search reads as another. */
  readonly isLink: boolean;
  readonly flaw: 'brokenLinks' | 'unreadable' | undefined;
}

/** What may have been overlooked in a folder, and the folders in it. */
function* notable(
  entries: readonly Dirent<Buffer>[],
  folder: Folder,
  options: SearchOptions,
): Generator<Kind & { readonly file: string }> {
  for (const entry of entries) {
    const isReadable = isUtf8(entry.name);
    // Most entries, and of no interest.
    if (isReadable && entry.isFile() && !folder.isHidden && entry.name[0] !== DOT) continue;
    const file = path.join(folder.path, entry.name.toString());
    if (!isReadable) yield { file, isFolder: entry.isDirectory(), isLink: true, flaw: 'unreadable' };
    else yield { file, ...kindOf(entry, file, options) };
  }
}

function lookAt(root: string, options: SearchOptions): Kind | Record<keyof Kind, undefined> {
  try {
    return kindOf(lstatSync(root), root, options);
  } catch (error) {
    // A pattern that leads through a file, such as `README.md/*`, matches nothing.
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error;
    return { isFolder: undefined, isLink: undefined, flaw: undefined };
  }
}

function kindOf(
  found: Pick<Dirent<Buffer>, 'isDirectory' | 'isSymbolicLink'>,
  file: string,
  { followSymlinks }: SearchOptions,
): Kind {
  const isLink = found.isSymbolicLink();
  if (!isLink || !followSymlinks) return { isFolder: found.isDirectory(), isLink, flaw: undefined };
  try {
    return { isFolder: statSync(file).isDirectory(), isLink, flaw: undefined };
  } catch (error) {
    // Where another reason than a missing end keeps a search from going on, it has said so.
    if (systemCode(error) === undefined) throw error;
    return { isFolder: false, isLink, flaw: 'brokenLinks' };
  }
}
