import type { PlannedFile } from '../files/plan.ts';

/** Files up to this size are sent whole, which is much faster than streaming. */
export const SMALL_BYTES = 256 * 1024;

export const BATCH_BYTES = 1024 * 1024;

/** Groups small files into batches of at most `filesPerRequest` and 1 MiB; other files go alone. */
export function batchesOf(files: readonly PlannedFile[], filesPerRequest: number): PlannedFile[][] {
  const batches: PlannedFile[][] = [];
  let open: PlannedFile[] = [];
  let room = 0;
  for (const file of files) {
    const bytes = sizeInBatch(file);
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

// Upper bound for a part's boundary and headers, excluding the file name.
const FRAME_BYTES = 256;

/** Returns the most bytes a file can take in a batch, or undefined if it must be sent alone. */
export function sizeInBatch({ target, size }: PlannedFile): number | undefined {
  const canBatch = size <= SMALL_BYTES && isPlainFilename(target);
  return canBatch ? FRAME_BYTES + target.length + size : undefined;
}

// All multipart parsers agree on these names, and form-data does not change them.
function isPlainFilename(filename: string): boolean {
  if (!/^[!-~](?:[ -~]*[!-~])?$/.test(filename)) return false;
  return !/["%;\\]|\/\/|(^|\/)\.{1,2}(\/|$)/.test(filename);
}
