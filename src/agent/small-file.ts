import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { checkOpened, READ_FLAGS } from './opened.ts';

/**
 * Reads a whole file into a buffer at `offset`, with calls that wait: for small files they cost less than handing them to
 * a thread. Returns the bytes read, or undefined where the file has more than `room`.
 * @throws AgentError or the system's own error, as `checkOpened` does.
 */
export function readSmallFile(
  path: string,
  buffer: Buffer,
  { offset, room }: { readonly offset: number; readonly room: number },
): number | undefined {
  const descriptor = openSync(path, READ_FLAGS);
  try {
    const size = checkOpened(path, fstatSync(descriptor));
    return size > room ? undefined : readWhole(descriptor, buffer, { offset, size });
  } finally {
    closeSync(descriptor);
  }
}

/** Bytes read, fewer than `size` where the file has shrunk meanwhile. */
function readWhole(
  descriptor: number,
  buffer: Buffer,
  { offset, size }: { readonly offset: number; readonly size: number },
): number {
  let total = 0;
  while (total < size) {
    const read = readSync(descriptor, buffer, offset + total, size - total, null);
    if (read === 0) break;
    total += read;
  }
  return total;
}
