import { mkdirSync, openSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { type Refusal, refuse } from './answer.ts';

/** Node's error code (`ENOENT`, …) of a failed file system call; undefined for other errors. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The home directory of a user; of `user` if the request names none. @throws Refusal */
export function homeOf(username: string | null): string {
  const home = findHome(username ?? 'user');
  if (home !== undefined) return home;
  throw refuse(401, `error looking up user '${username}': user: unknown user ${username}`);
}

/** The home directory of a user; undefined if there is no such user. */
export function findHome(username: string): string | undefined {
  return HOMES.find(home => posix.basename(home) === username);
}

export const HOMES = ['/home/user', '/root'];

/** The absolute path of a path as a client writes it. An absolute path stays as it is written. */
export function expandPath(path: string, home: string): string {
  return path.startsWith('/') ? path : posix.resolve(home, path.replace(/^~(?=\/|$)/, '.'));
}

/** The path on this machine of an absolute path in a sandbox, never outside its root. */
export function onThisMachine(root: string, path: string): string {
  return join(root, posix.resolve('/', path));
}

/**
 * Opens a file for writing, emptied, after making its missing parents.
 * @param root the directory on this machine that is the sandbox's `/`
 * @param path absolute path in the sandbox
 * @returns a file descriptor, which the caller closes
 */
export function openForWriting(root: string, path: string): number {
  if (path.endsWith('/')) throw isDirectory(path);
  const file = onThisMachine(root, path);
  try {
    mkdirSync(dirname(file), { recursive: true });
    // Real agents create files as 0644 and leave the mode of existing ones.
    return openSync(file, 'w', 0o644);
  } catch (error) {
    if (errorCode(error) === 'EISDIR') throw isDirectory(path);
    if (!['ENOTDIR', 'EEXIST'].some(code => code === errorCode(error))) throw error;
    throw refuse(500, `error ensuring directories: path is a file: ${dirname(path)}`);
  }
}

function isDirectory(path: string): Refusal {
  return refuse(400, `path is a directory: ${path}`);
}
