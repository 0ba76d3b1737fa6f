import { mkdirSync, openSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
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
 * Opens a file for writing, emptied, after making its missing parents.
 * @param root the directory on this machine that is the sandbox's `/`
 * @param path absolute path in the sandbox
 * @returns a file descriptor, which the caller closes
 */
export function openForWriting(root: string, path: string): number {
  if (path.endsWith('/')) throw isDirectory(path);
  const file = join(root, posix.resolve('/', path));
  try {
    mkdirSync(dirname(file), { recursive: true });
    // Real agents create files as 0644 and leave the mode of existing ones.
    return openSync(file, 'w', 0o644);
  } catch (error) {
    if (errorCode(error) === 'EISDIR') throw isDirectory(path);
    if (!['ENOTDIR', 'EEXIST'].some(code => code === errorCode(error))) throw error;
    throw new Refusal(500, `error ensuring directories: path is a file: ${dirname(path)}`);
  }
}

function isDirectory(path: string): Refusal {
  return new Refusal(400, `path is a directory: ${path}`);
}
