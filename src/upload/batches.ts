import { BATCH_BYTES, batchBytes } from '../agent/body.ts';
import { SMALL_BYTES } from '../agent/read-file.ts';
import type { PlannedFile } from '../files/plan.ts';

/**
 * Parts files into requests: large ones alone, the largest first, then small ones in plan order, up
 * to `filesPerRequest` and a megabyte together. `inPlanOrder` keeps the order of large ones too.
 */
export function batchesOf(
  files: readonly PlannedFile[],
  {
    filesPerRequest,
    inPlanOrder,
  }: { readonly filesPerRequest: number; readonly inPlanOrder: boolean },
): PlannedFile[][] {
  const isLarge = ({ size }: PlannedFile) => size > SMALL_BYTES;
  const largest = files.filter(isLarge).sort((one, other) => other.size - one.size);
  const small = files.filter(file => !isLarge(file));
  const ordered = inPlanOrder ? files : [...largest, ...small];
  const batches: PlannedFile[][] = [];
  let open: PlannedFile[] = [];
  let room = 0;
  for (const file of ordered) {
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
