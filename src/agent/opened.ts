import { constants, lstatSync, realpathSync, type Stats } from 'node:fs';
import { AgentError } from './failure.ts';

/**
 * Flags to open a file for reading whose path has its links resolved already: a link found there now was put in after the
 * plan was made. Without O_NONBLOCK, opening a pipe put in its place would wait for ever. Windows has neither flag.
 */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Checks that what was opened is a regular file and is what its path names, and returns its size. The flags guard the last
 * part of the path alone: a directory above it could have been swapped for a link that leads to a secret.
 * @throws AgentError `file-unreadable` or `file-changed`, or the system's own error where the path is gone.
 */
export function checkOpened(path: string, opened: Stats): number {
  if (!opened.isFile()) throw new AgentError('file-unreadable', `${path} is not a regular file any more.`);
  const real = realpathSync.native(path);
  if (real !== path) {
    throw new AgentError('file-unreadable', `${path} leads through a link now, which it did not before.`);
  }
  if (!isSame(lstatSync(path), opened)) {
    throw new AgentError('file-changed', `${path} was replaced while it was opened.`);
  }
  return opened.size;
}

function isSame(named: Stats, opened: Stats): boolean {
  // On Windows a volume's number depends on how it was asked for.
  return named.ino === opened.ino && (named.dev === opened.dev || process.platform === 'win32');
}
