import type { Context } from '../agent/context.ts';
import { findFiles, type SkippedEntry } from '../files/find.ts';
import { filesOfShard, planFiles } from '../files/targets.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { Shard } from '../inputs/parsers.ts';
import { formatCount, formatNumber } from '../text/format.ts';
import { type Changes, compareWithState, readState, type UploadState } from './state-file.ts';

export interface UploadPlan extends Changes {
  readonly skipped: readonly SkippedEntry[];
  /** `allFiles` counts those of all shards. */
  readonly shard: (Shard & { readonly allFiles: number }) | undefined;
  readonly warnings: readonly string[];
  readonly state: UploadState | undefined;
}

/** Finds files, plans their targets and compares them with the state. */
export async function planUpload(inputs: Inputs<'upload'>, context: Context): Promise<UploadPlan> {
  const { workspace, cancel, log } = context;
  const state = readState(inputs, workspace);
  const found = await findFiles(inputs, workspace, cancel);
  for (const { pattern, root, files, skipped } of found.matches) {
    const counts = `${formatCount(files.length, 'file')}, ${formatNumber(skipped.length)} skipped`;
    log.debug(`Pattern ${pattern.pattern}: ${counts}, from ${root}`);
  }
  const { files, skipped, warnings } = planFiles(found, inputs, workspace);
  const { shard } = inputs;
  const shardFiles = shard === undefined ? files : filesOfShard(files, shard);
  return {
    ...(await compareWithState(shardFiles, state, cancel)),
    skipped,
    shard: shard && { ...shard, allFiles: files.length },
    warnings: [...warnings, ...(state?.warnings ?? [])],
    state,
  };
}
