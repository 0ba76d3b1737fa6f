import { constants, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, posix, sep } from 'node:path';
import { Refusal } from './answer.ts';

/** Node's error code (`ENOENT`, …) of a failed file system call; undefined for other errors. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The home directory of a user; of `user` if the request names none. @throws Refusal */
export function homeOf(username: string | null): string {
  if (username === 'root') return '/root';
  if (username === 'user' || username === null) return '/home/user';
  throw new Refusal(401, `error looking up user '${username}': user: unknown user ${username}`);
}

/**
 * The absolute path in the sandbox of a path as a client writes it. An absolute path stays as it is
 * written.
 * @throws Refusal for a home itself, or that of another user
 */
export function absolutePath(path: string, home: string): string {
  if (/^~[^/\\]/.test(path))
    throw new Refusal(400, 'error resolving path: cannot expand user-specific home dir');
  const expanded = path.startsWith('~') ? `./${path.slice(1)}` : path;
  const absolute = path.startsWith('/') ? path : posix.resolve(home, expanded);
  if (posix.resolve(absolute) === home) throw isDirectory(home);
  return absolute;
}

/**
 * Opens the file for writing, emptied, after making its missing parents. Symlinks are followed
 * inside `root` only.
 * @param root the real (symlink-free) directory on disk that is the sandbox's `/`
 * @param path absolute path in the sandbox
 * @returns a file descriptor, which the caller closes
 */
export function openForWriting(root: string, path: string): number {
  const inside = posix.resolve('/', path);
  if (path.endsWith('/')) throw isDirectory(path);
  const above = fileAbove(root, inside);
  if (above !== undefined)
    throw new Refusal(500, `error ensuring directories: path is a file: ${above}`);
  const file = join(confinedDirectory(root, dirname(join(root, inside))), basename(inside));
  try {
    return openEmptied(file);
  } catch (error) {
    if (errorCode(error) === 'EISDIR') throw isDirectory(path);
    if (errorCode(error) !== 'ELOOP') throw error;
    return openEmptied(confined(root, realpathSync.native(file)));
  }
}

/** The file in a path that stands where a directory should. */
function fileAbove(root: string, path: string): string | undefined {
  const parts = path.split('/').slice(1, -1);
  const parents = parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
  return parents.find(parent => statSync(join(root, parent), { throwIfNoEntry: false })?.isFile());
}

function isDirectory(path: string): Refusal {
  return new Refusal(400, `path is a directory: ${path}`);
}

// Real agents create files as 0644 and leave the mode of existing ones.
function openEmptied(file: string): number {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  return openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o644);
}

// Creates each level only once the one above is known to be inside: `mkdir -p` would follow a
// symlink out.
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
