import type { PlannedFile } from '../files/plan.ts';

/** Files sent in one multipart request, possibly only one. */
export interface Batch {
  readonly files: readonly [PlannedFile, ...PlannedFile[]];
  /** The files' places in the plan, in the same order. */
  readonly positions: readonly number[];
  /** True for a file that is too large to be read into memory, which is alone in its batch. */
  readonly isStreamed: boolean;
}

/**
 * Files up to this size are read into memory and sent from one buffer, which is faster than
 * streaming.
 */
export const SMALL_BYTES = 256 * 1024;

const BATCH_BYTES = 1024 * 1024;

/**
 * Groups small files into batches of at most `filesPerRequest` and 1 MiB; other files go alone.
 * An entry is a position in the plan and the file there.
 */
export function batchesOf(
  entries: Iterable<readonly [number, PlannedFile]>,
  filesPerRequest: number,
): Batch[] {
  const batches: Batch[] = [];
  let open: { files: PlannedFile[]; positions: number[]; room: number } | undefined;
  for (const [position, file] of entries) {
    const bytes = sizeInBatch(file);
    if (bytes !== undefined && open && bytes <= open.room && open.files.length < filesPerRequest) {
      open.files.push(file);
      open.positions.push(position);
      open.room -= bytes;
      continue;
    }
    const files: [PlannedFile, ...PlannedFile[]] = [file];
    const positions = [position];
    batches.push({ files, positions, isStreamed: file.size > SMALL_BYTES });
    if (bytes !== undefined) open = { files, positions, room: BATCH_BYTES - bytes };
  }
  return batches;
}

// Upper bound for a part's boundary and headers, excluding the file name.
const FRAME_BYTES = 256;

/** Returns the most bytes a file can take in a batch, or undefined if it must be sent alone. */
function sizeInBatch({ target, size }: PlannedFile): number | undefined {
  const canBatch = size <= SMALL_BYTES && isPlainFilename(target);
  return canBatch ? FRAME_BYTES + target.length + size : undefined;
}

// All multipart parsers agree on these names, and form-data does not change them.
function isPlainFilename(filename: string): boolean {
  if (!/^[!-~](?:[ -~]*[!-~])?$/.test(filename)) return false;
  return !/["%;\\]|\/\/|(^|\/)\.{1,2}(\/|$)/.test(filename);
}
