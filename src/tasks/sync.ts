import { type Client, openAgent } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { isFatal } from '../agent/failure.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { fullReason, type ReportedError, toReportedError } from '../report/reason.ts';
import { type Report, reportOf } from '../report/report.ts';
import { NOT_MEASURED } from '../report/stats-section.ts';
import type { FileResult } from '../upload/upload-files.ts';
import { measure, readJudgeableStats, reportUnmeasured, waitForSandbox } from './measure.ts';
import { planUpload, sendPlan } from './upload.ts';

/** @throws InputError before anything is uploaded, or AgentError if a dry run cannot hash a file */
export async function sync(inputs: Inputs<'sync'>, context: Context): Promise<Report> {
  const report = (result: Partial<Report>) => reportOf('sync', inputs, context.cancel, result);
  const plan = await planUpload(inputs, context);
  if (inputs.dryRun) return report({ ...plan.beforeSending, measured: NOT_MEASURED });
  await using client = openAgent(inputs, context);
  const error =
    (await waitForSandbox(inputs, client, context)) ?? (await checkGate(inputs, client, context));
  if (error !== undefined)
    return report({ ...plan.beforeSending, ...reportUnmeasured(inputs, error) });
  const sent = await sendPlan(plan, inputs, client, context);
  if (statsWouldFail(sent.upload.files)) return report({ ...sent, ...reportUnmeasured(inputs) });
  // The check of `fail-if` has already read the stats, so the CPU figure covers the upload.
  const cpuWindowStarted = inputs.failIf.length > 0;
  return report({ ...sent, ...(await measure(inputs, client, context, cpuWindowStarted)) });
}

const NOT_JUDGEABLE = 'The gate cannot be judged, so nothing was uploaded.';

/** Returns an error if there is a `fail-if` that cannot be judged, unless the job is cancelled. */
async function checkGate(
  inputs: Inputs<'sync'>,
  client: Client,
  context: Context,
): Promise<ReportedError | undefined> {
  if (inputs.failIf.length === 0) return undefined;
  try {
    await readJudgeableStats(inputs, client, context);
    return undefined;
  } catch (error) {
    if (context.cancel.aborted) return undefined;
    return { title: NOT_JUDGEABLE, reason: fullReason(toReportedError(error)) };
  }
}

// A fatal failure, such as a wrong token, would also fail the request for stats. But if the disk is
// full, the stats still work and show it.
function statsWouldFail(results: readonly FileResult[]): boolean {
  return results.some(
    result =>
      result.status === 'failed' && isFatal(result.error) && result.error.kind !== 'disk-full',
  );
}
