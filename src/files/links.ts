import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { type InputError, inputError } from '../inputs/input-error.ts';

/** A folder to walk: the root of a pattern, or the end of a link. */
export interface Place {
  /** Absolute path by which the walk got here. */
  readonly path: string;
  /** The same folder with its links resolved. */
  readonly real: string;
  /** The links that led here, the first one first. */
  readonly way: readonly Step[];
  readonly bounds: Bounds;
}

/** A followed link; real paths. */
interface Step {
  /** The folder whose walk met the link. */
  readonly walked: string;
  /** The folder that contains the link. */
  readonly parent: string;
}

/** The folder at the end of a link in a place; undefined if the link closes a loop. */
export function follow(link: string, from: Place): Place | undefined {
  const own = realIn(from, link);
  const real = realpathSync.native(own);
  const way = [...from.way, { walked: from.real, parent: path.dirname(own) }];
  const isLoop = way.some(({ walked, parent }) => isWithin(walked, real) && isWithin(real, parent));
  return isLoop ? undefined : { ...from, path: link, real, way };
}

/** Walked folders that lie below this place. Entering one again would close a loop. */
export function closedFolders({ real, way }: Place): string[] {
  return way.map(({ walked }) => walked).filter(walked => isWithin(real, walked));
}

/** The path, by way of a place, of something that lies in the real folder. */
export function pathIn(place: Place, real: string): string {
  if (place.path === place.real) return real;
  return path.join(place.path, pathWithin(place.real, real) ?? '');
}

/** The real path of something in a place that is not behind a further link. */
export function realIn(place: Place, file: string): string {
  if (place.path === place.real) return file;
  return path.join(place.real, pathWithin(place.path, file) ?? '');
}

/** Where links of one pattern may lead. */
export interface Bounds {
  /** @throws InputError if the real folder of a file, or its own real path, is outside */
  readonly check: (file: string, folder: string, real: string) => void;
  /** True if links lead to a real path with a name that starts with a dot. */
  readonly isHidden: (file: string, real: string) => boolean;
}

/**
 * Links may lead to the workspace, or to the pattern's own folder if that is elsewhere: a build
 * that ran untrusted code could contain a link to a credential of the runner.
 */
export function boundsOf(workspace: string, root: string): Bounds {
  const home = realpathSync.native(workspace);
  const inside = pathWithin(workspace, root);
  // If the root itself is a link, it is held to the same bounds as any other.
  const place =
    inside === undefined
      ? path.join(realpathSync.native(path.dirname(root)), path.basename(root))
      : path.join(home, inside);
  const bounds = inside === undefined ? [home, place] : [home];
  const within = (real: string) => bounds.some(bound => isWithin(bound, real));
  // The folders above the workspace may be links too, but not the ones that lead out.
  const isWalked = (part: string) => isWithin(workspace, part) || isWithin(root, part);
  const leadsOut = (part: string) =>
    isWalked(part) && lstatSync(part).isSymbolicLink() && !within(realpathSync.native(part));

  return {
    check(file, folder, real) {
      if (!within(folder)) throw leadsOutError(partsOf(file).find(leadsOut) ?? file, folder);
      if (!within(real)) throw leadsOutError(file, real);
    },
    isHidden(file, real) {
      const shown = pathWithin(place, real) ?? pathWithin(home, real) ?? '';
      if (!/(^|[\\/])\./.test(shown)) return false;
      const ordinary = path.join(place, pathWithin(root, file) ?? '');
      return real.toLowerCase() !== ordinary.toLowerCase();
    },
  };
}

/** The path of `file` from `directory`, both absolute; undefined if it is outside. */
export function pathWithin(directory: string, file: string): string | undefined {
  // path.relative takes microseconds, and most paths start with the directory as it is spelled.
  const rest = file.startsWith(directory) ? file.slice(directory.length) : '';
  if (rest.startsWith(path.sep) && !rest.includes('..')) return rest.slice(1);
  const relative = path.relative(directory, file);
  const isOutside =
    relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return isOutside ? undefined : relative;
}

export function isWithin(directory: string, file: string): boolean {
  return pathWithin(directory, file) !== undefined;
}

/** A path of the runner with slashes, also on Windows. */
export function toPosix(file: string): string {
  return path.sep === '/' ? file : file.replaceAll(path.sep, '/');
}

/** A path and all folders above it, the topmost first. */
function partsOf(file: string): string[] {
  const parts = [file];
  for (let part = file; part !== path.dirname(part); ) {
    part = path.dirname(part);
    parts.unshift(part);
  }
  return parts;
}

function leadsOutError(link: string, end: string): InputError {
  const advice = 'Exclude it with a ! line, or copy what it leads to into the workspace.';
  return inputError('files', `${link} is a link to ${end}, outside the workspace. ${advice}`);
}
