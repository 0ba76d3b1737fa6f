import { BATCH_BYTES, batchBytes } from '../agent/multipart.ts';
import { SMALL_BYTES } from '../agent/read-file.ts';
import type { PlannedFile } from '../files/plan.ts';

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
  const isLarge = ({ size }: PlannedFile) => size > SMALL_BYTES;
  const largest = files.filter(isLarge).sort((one, other) => other.size - one.size);
  const small = files.filter(file => !isLarge(file));
  const batches: PlannedFile[][] = [];
  let open: PlannedFile[] = [];
  let room = 0;
  for (const file of concurrency === 1 ? files : [...largest, ...small]) {
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
