import type { Shard } from '../inputs/table.ts';
import type { PlannedFile } from './plan.ts';

/** A shard's share in plan order. All shares are disjoint, make up the plan, and weigh the same but for at most one file. */
export function shareOf<F extends Pick<PlannedFile, 'target' | 'size'>>(
  files: readonly F[],
  { index, count }: Shard,
): F[] {
  const loads = Array.from({ length: count }, () => 0);
  const mine = new Set<F>();
  for (const file of files.toSorted(heaviestFirst)) {
    const lightest = loads.indexOf(Math.min(...loads));
    loads[lightest] = (loads[lightest] ?? 0) + weightOf(file);
    if (lightest === index - 1) mine.add(file);
  }
  return files.filter(file => mine.has(file));
}

// What a request costs beside the content, as so many bytes: its headers, its frame and its answer. Thousands of empty
// files are work too, and are dealt out like any other.
const REQUEST_BYTES = 1024;

/** What a file counts when the plan is dealt out, in bytes. */
export function weightOf({ size }: Pick<PlannedFile, 'size'>): number {
  return size + REQUEST_BYTES;
}

// Greedy by weight, heaviest first, keeps the loads as close as the smallest files allow. Targets are compared by code
// units, which is the same on every machine.
function heaviestFirst(one: Pick<PlannedFile, 'target' | 'size'>, other: typeof one): number {
  if (one.size !== other.size) return other.size - one.size;
  return one.target < other.target ? -1 : 1;
}
