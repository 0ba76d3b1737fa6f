import { constants, mkdirSync, openSync, realpathSync } from 'node:fs';
import { basename, dirname, join, posix, sep } from 'node:path';
import { Refusal } from './answer.ts';

/** Node's error code (`ENOENT`, …) of a failed file system call; undefined for other errors. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The home directory of a user, absolute in the sandbox. */
export function homeOf(user: string): string {
  return user === 'root' ? '/root' : `/home/${user}`;
}

/**
 * The absolute, normalised path in the sandbox of a path as a client writes it; relative ones start at `home`.
 * Throws a 400 for a path with a NUL, one that would leave the sandbox's root, and one that can only be a directory.
 */
export function absolutePath(path: string, home: string): string {
  if (path.includes('\0')) throw new Refusal(400, 'The path contains a NUL character');
  const absolute = path.startsWith('/') ? path : `${home}/${path}`;
  // Without its leading slash, a normalised path keeps the `..` that would leave the root.
  const inside = posix.normalize(absolute.replace(/^\/+/, ''));
  if (inside === '..' || inside.startsWith('../')) {
    throw new Refusal(400, `The path ${path} leaves the file system`);
  }
  if (inside === '.' || inside.endsWith('/') || `/${inside}` === home) {
    throw new Refusal(400, `The path is a directory: ${path}`);
  }
  return `/${inside}`;
}

/**
 * Opens the file for writing, emptied, after making its missing parents. Symlinks are followed inside `root` only.
 * @param root the real (symlink-free) directory on disk that is the sandbox's `/`
 * @param path absolute path in the sandbox
 * @returns a file descriptor, which the caller closes
 */
export function openForWriting(root: string, path: string): number {
  const file = join(confinedDirectory(root, dirname(join(root, path))), basename(path));
  try {
    return openEmptied(file);
  } catch (error) {
    if (errorCode(error) !== 'ELOOP') throw error;
    return openEmptied(confined(root, realpathSync.native(file)));
  }
}

// Real agents create files as 0644 and leave the mode of existing ones.
function openEmptied(file: string): number {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  return openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o644);
}

// A level is made only when the one above it is known to be inside: `mkdir -p` would follow a symlink out.
function confinedDirectory(root: string, directory: string): string {
  try {
    return confined(root, realpathSync.native(directory));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    const made = join(confinedDirectory(root, dirname(directory)), basename(directory));
    mkdirSync(made, { recursive: true });
    return made;
  }
}

function confined(root: string, real: string): string {
  if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return real;
  throw new Refusal(400, 'The path leads out of the file system through a symlink');
}
