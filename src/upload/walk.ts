import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { systemCode } from '../agent/system-error.ts';

/** What lies at a path. */
export interface Found {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link' | 'broken link' | 'special' | 'unreadable name';
  /** Bytes of a file. */
  readonly size: number;
  /** Whether a link leads there. */
  readonly isLink: boolean;
}

export interface WalkOptions {
  /** Without it, links are found as what they are. */
  readonly followSymlinks: boolean;
  /** Whether what lies in a directory is of interest. */
  readonly enters: (directory: string) => boolean;
}

/**
 * Everything at and below a path, each directory before what lies in it, names in order. A directory that a link leads to
 * is not entered within itself.
 */
export function* walk(place: string, options: WalkOptions, above: readonly string[] = []): Generator<Found> {
  const found = look(place, options.followSymlinks);
  if (found === undefined) return;
  yield found;
  if (found.kind !== 'directory' || !options.enters(place)) return;
  const real = realpathSync.native(place);
  if (above.includes(real)) return;
  const chain = [...above, real];
  for (const name of readdirSync(place).sort()) yield* walk(path.join(place, name), options, chain);
}

/** Undefined where there is nothing, or nothing any more. */
function look(place: string, followSymlinks: boolean): Found | undefined {
  const own = unlessGone(() => lstatSync(place));
  const nothing = { path: place, size: 0, isLink: false };
  if (own === undefined) {
    // What is not valid UTF-8 was replaced by this when the name was read, and leads nowhere.
    return place.includes('\uFFFD') ? { ...nothing, kind: 'unreadable name' } : undefined;
  }
  const isLink = own.isSymbolicLink();
  if (isLink && !followSymlinks) return { ...nothing, kind: 'link', isLink };
  const end = isLink ? unlessGone(() => statSync(place)) : own;
  if (end === undefined) return { ...nothing, kind: 'broken link', isLink };
  const kind = end.isDirectory() ? 'directory' : end.isFile() ? 'file' : 'special';
  return { path: place, kind, size: end.size, isLink };
}

/** What `stat` says; undefined where the path leads nowhere, through a file, or a link to itself. */
function unlessGone(stat: () => Stats): Stats | undefined {
  try {
    return stat();
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}
