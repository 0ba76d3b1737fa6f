import type { Shard } from '../inputs/shard.ts';
import type { Plan, PlannedFile } from './plan.ts';
import type { FileResult } from './result.ts';
import { shareOf } from './shard.ts';
import type { Entries } from './state.ts';

/** What of a plan one run is to see to; `files` are its own. */
export interface Selection extends Plan {
  /** Undefined where the whole plan is this run's. */
  readonly share: Share | undefined;
  /** The targets of the plan that other shards see to. */
  readonly elsewhere: readonly string[];
  /** Those of the files that are not sent, by target. */
  readonly unchanged: Entries;
}

/** What a shard has of a plan. */
export interface Share extends Shard {
  /** Files of the shard. */
  readonly files: number;
  /** Files of the whole plan. */
  readonly planned: number;
}

/** A plan cut down to a shard's share of it, all to be sent; without a shard, all of it. */
export function select(plan: Plan, shard: Shard | undefined): Selection {
  const unchanged: Entries = new Map();
  if (shard === undefined) return { ...plan, share: undefined, elsewhere: [], unchanged };
  const files = shareOf(plan.files, shard);
  const mine = new Set(files);
  const elsewhere = plan.files.filter(file => !mine.has(file)).map(({ target }) => target);
  const share = { ...shard, files: files.length, planned: plan.files.length };
  return { ...plan, files, share, elsewhere, unchanged };
}

/** The files that are to be sent, in plan order. */
export function dueFiles({ files, unchanged }: Selection): readonly PlannedFile[] {
  return unchanged.size === 0 ? files : files.filter(({ target }) => !unchanged.has(target));
}

/** A result for each file, in plan order, with those of the files that were due. */
export function resultsOf({ files, unchanged }: Selection, due: readonly FileResult[]): FileResult[] {
  const results = due.values();
  return files.flatMap(file => {
    const entry = unchanged.get(file.target);
    if (entry !== undefined) return { status: 'unchanged', file, path: entry.path };
    const { value } = results.next();
    return value ?? [];
  });
}
