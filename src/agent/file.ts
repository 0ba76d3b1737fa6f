import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { AgentError } from './failure.ts';

// Of a path without links: one found there now was put in later. Without O_NONBLOCK, a pipe put there would block for ever.
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Checks that what was opened is a regular file and is what its path names, and returns its size in bytes. The flags guard
 * the last part of the path alone: a directory above it could have been swapped for a link that leads to a secret.
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

/** Reads a whole file into a buffer, with calls that wait: for small ones they cost least. Undefined if it exceeds `room`. */
export function readSmallFile(
  path: string,
  buffer: Buffer,
  { offset, room }: { readonly offset: number; readonly room: number },
): number | undefined {
  const descriptor = openSync(path, READ_FLAGS);
  try {
    const size = checkOpened(path, fstatSync(descriptor));
    if (size > room) return undefined;
    let total = 0;
    while (total < size) {
      const read = readSync(descriptor, buffer, offset + total, size - total, null);
      if (read === 0) break;
      total += read;
    }
    return total;
  } finally {
    closeSync(descriptor);
  }
}

/** The code of an error of the system, such as `ENOENT`; undefined for any other: bugs have none. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Whether an error says that a file cannot be read, and is no bug. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof AgentError || systemCode(error) !== undefined;
}
