import { openAgent } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { isFatal } from '../agent/failure.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { checkGate, type StatsResult, takeStats, withoutStats } from '../stats/stats.ts';
import { waitForSandbox } from '../stats/wait.ts';
import { planUpload } from '../upload/plan.ts';
import { sendPlan, showPlan, type UploadResult, withoutUpload } from '../upload/upload.ts';
import type { UploadedFile } from '../upload/uploaded-file.ts';

export interface SyncResult {
  readonly upload: UploadResult;
  readonly stats: StatsResult;
}

/** @throws InputError before anything is uploaded, or AgentError if a dry run cannot hash a file */
export async function sync(inputs: Inputs<'sync'>, context: Context): Promise<SyncResult> {
  const plan = await planUpload(inputs, context);
  if (inputs.dryRun)
    return {
      upload: await showPlan(plan, inputs, context),
      // A dry run sends nothing, so it judges nothing.
      stats: withoutStats({ failIf: [], warnIf: [] }),
    };
  await using client = openAgent(inputs, context);
  const problem =
    (await waitForSandbox(inputs, client, context)) ?? (await checkGate(inputs, client, context));
  if (problem !== undefined)
    return { upload: withoutUpload(plan), stats: withoutStats(inputs, problem) };
  const upload = await sendPlan(plan, inputs, client, context);
  // checkGate() has read the stats if there is a `fail-if`, so the CPU figure covers the upload.
  const cpuWindowStarted = inputs.failIf.length > 0;
  const stats = statsWouldFail(upload.files)
    ? withoutStats(inputs)
    : await takeStats(inputs, client, context, { cpuWindowStarted });
  return { upload, stats };
}

// A fatal failure, such as a wrong token, would also fail the request for stats. But if the disk is
// full, the stats still work and show it.
function statsWouldFail(files: readonly UploadedFile[]): boolean {
  return files.some(
    file => file.status === 'failed' && isFatal(file.error) && file.error.kind !== 'disk-full',
  );
}
