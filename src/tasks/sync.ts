import { agentService, withClient } from '../agent/client.ts';
import { isFatal } from '../agent/failure.ts';
import { gateOf, isGated } from '../gate/judge.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { NOT_MEASURED } from '../report/measured-section.ts';
import type { Report } from '../report/report.ts';
import type { FileResult } from '../transfer/transfer.ts';
import type { Context } from './context.ts';
import { checkGateIsJudgeable, measure, waitFor } from './measure.ts';
import { planOnly, prepareUpload, sendFiles, sendNothing } from './upload.ts';

/**
 * Plans, waits for the sandbox, uploads, measures and judges.
 * @throws InputError before anything is sent
 */
export async function sync(inputs: Inputs<'sync'>, context: Context): Promise<Report> {
  const { cancel } = context;
  const prepared = await prepareUpload('sync', inputs, context);
  if (inputs.dryRun)
    return { ...(await planOnly(prepared, inputs, context)), measured: NOT_MEASURED };
  const unmeasured = { measured: { samples: [], gate: gateOf(inputs, []) } };
  if (cancel.aborted) return { ...sendNothing(prepared, context), ...unmeasured };
  return withClient(agentService(inputs), context, async client => {
    const error =
      (await waitFor(inputs, client, context)) ??
      (await checkGateIsJudgeable(inputs, client, context));
    if (error !== undefined || cancel.aborted)
      return { ...sendNothing(prepared, context, error), ...unmeasured };
    const sent = await sendFiles(prepared, inputs, client, context);
    if (sent.cancelled || hasFatalFailure(sent.upload.files)) return { ...sent, ...unmeasured };
    // With a gate, its check has already read the stats, so the CPU figure covers the upload.
    const measured = await measure(inputs, client, context, isGated(inputs));
    return { ...sent, ...measured, cancelled: cancel.aborted };
  });
}

// When the disk is full, the stats still work and show how full it is.
function hasFatalFailure(results: readonly FileResult[]): boolean {
  return results.some(
    result =>
      result.status === 'failed' && isFatal(result.error) && result.error.kind !== 'disk-full',
  );
}
