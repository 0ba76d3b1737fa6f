import { formatCount, formatNumber } from '../text/units.ts';
import type { Share } from '../upload/selection.ts';

/** Which shard it is: `shard 2 of 4`. */
export function shardName({ index, count }: Share): string {
  return `shard ${index} of ${count}`;
}

/** Which shard it is, and how much of the plan: `shard 2 of 4: 500 of 2,000 files`. */
export function shareLine(share: Share): string {
  return `${shardName(share)}: ${formatNumber(share.files)} of ${formatCount(share.planned, 'file')}`;
}
