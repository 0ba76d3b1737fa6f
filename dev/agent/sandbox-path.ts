import { join, posix } from 'node:path';
import { refuse } from './answer.ts';

export const HOMES = ['/home/user', '/root'];

export function findHome(username: string): string | undefined {
  return HOMES.find(home => posix.basename(home) === username);
}

/**
 * Resolves the query's `path`, or else the argument `path`, against the user's home. Absolute paths
 * stay as they are. @throws Refusal (401) for an unknown user
 */
export function pathOf(query: URLSearchParams, path = ''): string {
  const username = query.get('username') ?? 'user';
  const home = findHome(username);
  if (home !== undefined) return expandPath(query.get('path') ?? path, home);
  throw refuse(401, `error looking up user '${username}': user: unknown user ${username}`);
}

export function expandPath(path: string, home: string): string {
  return path.startsWith('/') ? path : posix.resolve(home, path.replace(/^~(?=\/|$)/, '.'));
}

/** Maps an absolute path in a sandbox to a path on this machine, never outside `root`. */
export function toHostPath(root: string, path: string): string {
  return join(root, posix.resolve('/', path));
}
