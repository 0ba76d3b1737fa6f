import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
} from 'node:fs';
import { AgentError } from './failure.ts';

// Of a path without links: one found there now was put in later. Without O_NONBLOCK, a pipe put there would block for ever.
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The bytes of a file that still goes out in one piece, in a fraction of a stream's time; longer ones go in such chunks. */
export const BUFFER_BYTES = 256 * 1024;

/** Windows numbers files beyond 2^53. */
export const EXACTLY = { bigint: true } as const;

/**
 * Checks that what was opened is a regular file and is what its path names, and returns its size in bytes. The flags guard
 * the last part of the path alone: a directory above it could have been swapped for a link that leads to a secret.
 * @throws AgentError `file-unreadable` or `file-changed`, or the system's own error where the path is gone.
 */
export function checkOpened(path: string, opened: BigIntStats): number {
  if (!opened.isFile()) throw new AgentError('file-unreadable', `${path} is not a regular file any more.`);
  if (realpathSync.native(path) !== path)
    throw new AgentError('file-unreadable', `${path} leads through a link now, which it did not before.`);
  if (!isSame(lstatSync(path, EXACTLY), opened))
    throw new AgentError('file-changed', `${path} was replaced while it was opened.`);
  return Number(opened.size);
}

/** Checks that a file is as it was opened when all of it was read. @throws AgentError `file-changed` */
export function checkRead(path: string, opened: BigIntStats, read: BigIntStats): void {
  if (read.size === opened.size && read.mtimeNs === opened.mtimeNs) return;
  throw new AgentError('file-changed', `${path} changed while it was read.`);
}

function isSame(named: BigIntStats, opened: BigIntStats): boolean {
  // On Windows a volume's number depends on how it was asked for.
  return named.ino === opened.ino && (named.dev === opened.dev || process.platform === 'win32');
}

/** Reads a file into a buffer, with calls that wait: for small ones they cost least. Undefined if not all fits or is readable. */
export function readSmallFile(
  path: string,
  buffer: Buffer,
  { offset, room }: { readonly offset: number; readonly room: number },
): number | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, READ_FLAGS);
    const opened = fstatSync(descriptor, EXACTLY);
    const size = checkOpened(path, opened);
    if (size > room) return undefined;
    let total = 0;
    while (total < size) {
      const read = readSync(descriptor, buffer, offset + total, size - total, null);
      if (read === 0) break;
      total += read;
    }
    checkRead(path, opened, fstatSync(descriptor, EXACTLY));
    // Files of /proc say that they are empty and hold content.
    const holdsMore = size === 0 && room > 0 && readSync(descriptor, buffer, offset, 1, null) > 0;
    return holdsMore ? undefined : total;
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const RENAMES = 5;
const PAUSE_MS = 50;

/** Renames a file, again where Windows says that somebody, such as a virus scanner, still looks at it. */
export function renameFile(from: string, to: string): void {
  for (let left = RENAMES; ; left -= 1) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (left === 1 || !['EPERM', 'EBUSY', 'EACCES'].includes(systemCode(error) ?? '')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
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
