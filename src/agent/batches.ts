import type { PlannedFile } from '../files/plan.ts';

/** Files up to this size are sent whole, which is much faster than streaming. */
export const SMALL_BYTES = 256 * 1024;

export const BATCH_BYTES = 1024 * 1024;

export interface BatchOptions {
  readonly filesPerRequest: number;
  readonly concurrency: number;
}

/**
 * Groups files into requests: large files alone, largest first, then small ones up to
 * `filesPerRequest` and 1 MiB. A concurrency of 1 keeps the plan's order.
 */
export function batchesOf(
  files: readonly PlannedFile[],
  { filesPerRequest, concurrency }: BatchOptions,
): PlannedFile[][] {
  const batches: PlannedFile[][] = [];
  let open: PlannedFile[] = [];
  let room = 0;
  for (const file of concurrency === 1 ? files : largestFirst(files)) {
    const bytes = batchBytes(file);
    if (bytes === undefined || filesPerRequest === 1) {
      batches.push([file]);
      continue;
    }
    if (open.length === 0 || open.length === filesPerRequest || bytes > room) {
      open = [];
      room = BATCH_BYTES;
      batches.push(open);
    }
    open.push(file);
    room -= bytes;
  }
  return batches;
}

function largestFirst(files: readonly PlannedFile[]): PlannedFile[] {
  const large = files.filter(({ size }) => size > SMALL_BYTES);
  const small = files.filter(({ size }) => size <= SMALL_BYTES);
  return [...large.sort((one, other) => other.size - one.size), ...small];
}

// Exceeds the boundary and headers of any part, not counting the file name.
const FRAME_BYTES = 256;

/** Returns an upper bound for a file's bytes in a batch, or undefined if it must be sent alone. */
export function batchBytes({ target, size }: PlannedFile): number | undefined {
  const canBatch = size <= SMALL_BYTES && isPlainFilename(target);
  return canBatch ? FRAME_BYTES + target.length + size : undefined;
}

// Every multipart parser reads these names alike, and form-data leaves them unchanged.
function isPlainFilename(filename: string): boolean {
  if (!/^[!-~](?:[ -~]*[!-~])?$/.test(filename)) return false;
  return !/["%;\\]|\/\/|(^|\/)\.{1,2}(\/|$)/.test(filename);
}
