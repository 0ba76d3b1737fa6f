import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { checkOpened, READ_FLAGS } from '../agent/opened.ts';
import { isUnreadable } from '../agent/system-error.ts';
import type { PlannedFile } from './plan.ts';
import type { Entries, StateEntry } from './state.ts';
import { misplaced, without } from './state-entries.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * The entries of the files whose content is what their entry says. A file that cannot be read is not among them, and so is
 * none that the upload of the others may overwrite. Cancelled, it ends with what it knows.
 */
export async function findUnchanged(
  files: readonly PlannedFile[],
  entries: Entries,
  { cancel, shareRequests }: { readonly cancel: AbortSignal; readonly shareRequests: boolean },
): Promise<Entries> {
  const same = new Map<string, StateEntry>();
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  for (const file of files) {
    const entry = entries.get(file.target);
    if (entry?.size !== file.size) continue;
    if ((await digestOf(file, buffer, cancel)) === entry.sha256) same.set(file.target, entry);
  }
  const staying = (left: Entries): Entries => {
    const due = files.map(({ target }) => target).filter(target => !left.has(target));
    const untouched = without(entries, shareRequests ? [...due, ...misplaced(due)] : due);
    const still = new Map([...left].filter(([target]) => untouched.has(target)));
    return still.size === left.size ? left : staying(still);
  };
  return staying(same);
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
    if (checkOpened(realPath, fstatSync(descriptor)) !== size) return undefined;
    return await digestOfOpened(descriptor, size, { buffer, cancel });
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Reads with calls that wait, since most files are small, and lets signals have their turn between them. */
async function digestOfOpened(
  descriptor: number,
  size: number,
  { buffer, cancel }: { readonly buffer: Buffer; readonly cancel: AbortSignal },
): Promise<string | undefined> {
  const digest = createHash('sha256');
  for (let total = 0; ; ) {
    await setImmediate();
    if (cancel.aborted) return undefined;
    if (total === size) return digest.digest('hex');
    const read = readSync(descriptor, buffer, 0, Math.min(buffer.length, size - total), total);
    if (read === 0) return undefined;
    digest.update(buffer.subarray(0, read));
    total += read;
  }
}
