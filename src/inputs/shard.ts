import { quote } from '../text/visible.ts';
import type { Parser } from './parse.ts';

/** One of the shares that a plan is dealt out in. */
export interface Shard {
  /** Which share, from 1 to `count`. */
  readonly index: number;
  /** How many shares there are, from 1 to 256. */
  readonly count: number;
}

// So many copies of a job one matrix runs at most.
const MAX_SHARDS = 256;

/** A share such as `2/4`, the second of four. Empty is undefined: everything. */
export const shard: Parser<Shard | undefined> = (value, refuse) => {
  if (value === '') return undefined;
  const [, index, count] = (/^(\d{1,3})\/(\d{1,3})$/.exec(value) ?? []).map(Number);
  if (index !== undefined && count !== undefined && 1 <= index && index <= count && count <= MAX_SHARDS)
    return { index, count };
  return refuse(`${quote(value)} is not a share, counted from 1, of at most ${MAX_SHARDS}.`, '2/4');
};
