import { openAgent } from '../agent/client.ts';
import { isFatal } from '../agent/failure.ts';
import type { Context } from '../inputs/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import {
  readJudgeableStats,
  type StatsResult,
  takeStats,
  waitForSandbox,
  withoutStats,
} from '../stats/stats.ts';
import { planUpload, sendPlan, showPlan, type UploadResult } from '../upload/upload.ts';

/**
 * Uploads files, then judges the stats.
 * @throws InputError or AgentError before anything is uploaded
 */
export async function sync(
  inputs: Inputs<'sync'>,
  context: Context,
): Promise<{ readonly upload: UploadResult; readonly stats: StatsResult }> {
  const plan = await planUpload(inputs, context);
  if (inputs.dryRun) {
    const upload = await showPlan(plan, inputs, context);
    // A dry run sends nothing, so it judges nothing.
    return { upload, stats: withoutStats({ failIf: [], warnIf: [] }) };
  }
  await using client = openAgent(inputs, context);
  await waitForSandbox(inputs, client, context);
  // This also starts the time that the last CPU figure covers, so that it is that of the upload.
  const isGated = inputs.failIf.length > 0;
  if (isGated) await readJudgeableStats(inputs, client, context);
  const upload = await sendPlan(plan, inputs, client, context);
  // If nothing could reach the sandbox, the stats would fail in the same way.
  const reasons = upload.files.flatMap(file => (file.status === 'failed' ? file.error.kind : []));
  const isCutOff = reasons.some(kind => isFatal(kind) && kind !== 'disk-full');
  const isReached = upload.files.some(({ status }) => status === 'uploaded');
  if (isCutOff && !isReached) return { upload, stats: withoutStats(inputs) };
  const stats = await takeStats(inputs, client, context, { cpuWindowStarted: isGated });
  return { upload, stats };
}
