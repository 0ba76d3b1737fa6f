import { lstatSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type InputError, inputError } from '../inputs/parse.ts';
import type { Inputs } from '../inputs/table.ts';

/** A regular file that a pattern matches. */
export interface SourceFile {
  readonly path: string;
  /** The path with its links resolved. */
  readonly realPath: string;
  /** POSIX path below what the pattern spells out; empty where the pattern spells out the file itself. */
  readonly relative: string;
  readonly size: number;
  /** Whether anyone may execute it; on Windows, never. */
  readonly isExecutable: boolean;
}

/** Something a pattern matches that is not uploaded. */
export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

// Reasons to leave something out.
const SYMBOLIC_LINK = 'a symbolic link';
export const BROKEN_LINK = 'a broken link';
/** That of a pipe, a socket or a device. */
export const NOT_REGULAR = 'not a regular file';
/** That of a hidden file that no line takes by itself. */
export const ALL_HIDDEN = 'include-hidden-files: true includes it';

/** How a search treats what it comes by. */
export interface SearchOptions extends Pick<Inputs<'upload'>, 'followSymlinks' | 'includeHiddenFiles'> {
  /** Ends the search early, with what was found so far. */
  readonly cancel: AbortSignal;
}

/** Finds the absolute path of a directory with its links resolved. @throws the system's error where it is gone. */
export type RealPath = (directory: string) => string;

/** Finds the real paths of folders below `root` from those of their parents, each once: the system asks for all parts again. */
export function realPaths(root: string): RealPath {
  const known = new Map<string, string>();
  return function find(directory: string): string {
    let real = known.get(directory);
    if (real !== undefined) return real;
    // What a pattern spells out may be spelt otherwise than the system does.
    const isBelow = directory !== root && pathWithin(root, directory) !== undefined;
    const own = isBelow ? path.join(find(path.dirname(directory)), path.basename(directory)) : directory;
    real = !isBelow || lstatSync(own).isSymbolicLink() ? realpathSync.native(own) : own;
    known.set(directory, real);
    return real;
  };
}

// After so many files, others get their turn: a million take ten seconds, and a cancelled job must not wait for them.
const TURN = 10_000;

/** Parts what a search found into files and what is left out. @throws InputError where a link leads out of the workspace. */
export async function sortOut(
  root: string,
  paths: readonly string[],
  { workspace, followSymlinks, includeHiddenFiles }: SearchOptions & { readonly workspace: string },
): Promise<{ readonly files: SourceFile[]; readonly leftOut: LeftOut[] }> {
  const files: SourceFile[] = [];
  const leftOut: LeftOut[] = [];
  let resolve: Resolve | undefined;
  for (const [index, file] of paths.entries()) {
    if (index % TURN === TURN - 1) await setImmediate();
    const own = lstatSync(file, { throwIfNoEntry: false });
    const isLink = own?.isSymbolicLink() ?? false;
    const stats = isLink && followSymlinks ? statSync(file, { throwIfNoEntry: false }) : own;
    if (stats === undefined) continue;
    const relative = pathWithin(root, file) ?? '';
    if (stats.isSymbolicLink()) leftOut.push({ path: file, reason: SYMBOLIC_LINK });
    else if (!stats.isFile()) leftOut.push({ path: file, reason: NOT_REGULAR });
    else {
      resolve ??= boundary(workspace, relative === '' ? path.dirname(root) : root);
      // What a pattern spells out may be spelt otherwise than the system does.
      const { real, isHidden } = resolve(file, isLink || relative === '');
      if (isHidden && !includeHiddenFiles) leftOut.push({ path: file, reason: 'a link to something hidden' });
      else {
        const isExecutable = (stats.mode & 0o111) !== 0;
        files.push({ path: file, realPath: real, relative: toPosix(relative), size: stats.size, isExecutable });
      }
    }
  }
  return { files, leftOut };
}

/** The path of `file` from `directory`, both absolute; undefined where it is neither that directory nor below it. */
export function pathWithin(directory: string, file: string): string | undefined {
  // Most paths are spelt alike, and path.relative takes microseconds.
  const rest = file.startsWith(directory) ? file.slice(directory.length) : '';
  if (rest.startsWith(path.sep) && !rest.includes('..')) return rest.slice(1);
  const relative = path.relative(directory, file);
  const isOutside = relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return isOutside ? undefined : relative;
}

/** A path of the runner with slashes, also on Windows. */
export function toPosix(file: string): string {
  return path.sep === '/' ? file : file.replaceAll(path.sep, '/');
}

/** Finds the real path of a file, whose own name `mayDiffer` from what it leads to, and whether links lead to something hidden. */
type Resolve = (file: string, mayDiffer: boolean) => { readonly real: string; readonly isHidden: boolean };

/**
 * A resolver that lets links lead only to places inside the workspace, or inside the pattern's own root where that lies
 * outside the workspace. A build that ran untrusted code could hold a link to a credential of the runner.
 * `root` is the directory that the pattern's search starts in; both are absolute.
 */
function boundary(workspace: string, root: string): Resolve {
  const home = realpathSync.native(workspace);
  const inside = pathWithin(workspace, root);
  // The root's own place: one that is a link is held to the same bound as any other.
  const place =
    inside === undefined
      ? path.join(realpathSync.native(path.dirname(root)), path.basename(root))
      : path.join(home, inside);
  const bounds = inside === undefined ? [home, place] : [home];
  const within = (real: string) => bounds.some(bound => pathWithin(bound, real) !== undefined);
  const searched = (place: string) => (pathWithin(workspace, place) ?? pathWithin(root, place)) !== undefined;
  const realPath = realPaths(root);

  return (file, mayDiffer) => {
    const directory = realPath(path.dirname(file));
    if (!within(directory)) throw leadsOut(linkOf(file, searched, within), directory);
    const own = path.join(directory, path.basename(file));
    const real = mayDiffer ? realpathSync.native(own) : own;
    if (!within(real)) throw leadsOut(file, real);
    const isElsewhere = real.toLowerCase() !== path.join(place, pathWithin(root, file) ?? '').toLowerCase();
    const shown = pathWithin(place, real) ?? pathWithin(home, real) ?? '';
    return { real, isHidden: isElsewhere && /(^|[\\/])\./.test(shown) };
  };
}

/** The first part of a path that leads out; where the searched place itself lies behind a link, that is not it. */
function linkOf(file: string, searched: (place: string) => boolean, within: (real: string) => boolean): string {
  const parents: string[] = [];
  for (let part = file; part !== path.dirname(part); part = path.dirname(part)) parents.unshift(part);
  const isLeavingLink = (part: string) =>
    searched(part) && lstatSync(part).isSymbolicLink() && !within(realpathSync.native(part));
  return parents.find(isLeavingLink) ?? file;
}

function leadsOut(link: string, end: string): InputError {
  const advice = 'Exclude it with a ! line, or copy what it leads to into the workspace.';
  return inputError('files', `${link} is a link to ${end}, outside the workspace. ${advice}`);
}
