import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { posix } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { checkOpened, EXACTLY, isUnreadable, READ_FLAGS } from '../agent/file.ts';
import type { PlannedFile } from './plan.ts';
import { type Entries, type StateEntry, without } from './state.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Finds the files whose content is what their entry says, and which no other upload may overwrite: with `shareRequests`, also
 * that of an agent that takes the last part of a filename for a path. `unchanged` are their entries, and `entries` all that
 * the sending of the others leaves true. Cancelled, it ends with what it knows.
 */
export async function compare(
  files: readonly PlannedFile[],
  entries: Entries,
  { cancel, shareRequests }: { readonly cancel: AbortSignal; readonly shareRequests: boolean },
) {
  const same = new Map<string, StateEntry>();
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  for (const file of files) {
    const entry = entries.get(file.target);
    if (entry?.size !== file.size) continue;
    if ((await digestOf(file, buffer, cancel)) === entry.sha256) same.set(file.target, entry);
  }
  for (let unchanged: Entries = same; ; ) {
    const due = files.map(({ target }) => target).filter(target => !unchanged.has(target));
    const nested = due.filter(target => target.includes('/'));
    const misplaced = shareRequests ? nested.map(target => posix.basename(target)) : [];
    const untouched = without(entries, [...due, ...misplaced]);
    const still = new Map([...unchanged].filter(([target]) => untouched.has(target)));
    if (still.size === unchanged.size) return { unchanged, entries: without(entries, misplaced) };
    unchanged = still;
  }
}

/** Undefined where the file cannot be read, or is of another size by now: its upload says what is wrong with it. */
async function digestOf(
  { realPath, size }: PlannedFile,
  buffer: Buffer,
  cancel: AbortSignal,
): Promise<string | undefined> {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(realPath, READ_FLAGS);
    if (checkOpened(realPath, fstatSync(descriptor, EXACTLY)) !== size) return undefined;
    const digest = createHash('sha256');
    // With calls that wait, since most files are small; signals have their turn between them.
    for (let total = 0; total < size; ) {
      await setImmediate();
      const read = cancel.aborted ? 0 : readSync(descriptor, buffer, 0, Math.min(buffer.length, size - total), total);
      if (read === 0) return undefined;
      digest.update(buffer.subarray(0, read));
      total += read;
    }
    return digest.digest('hex');
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
