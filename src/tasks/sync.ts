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
  const { sandboxId, baseUrl } = inputs;
  const report = { task: 'sync', name: '', sandboxId, baseUrl } as const;
  const prepared = await prepareUpload(inputs, context);
  if (inputs.dryRun) {
    const planned = await planOnly(prepared, inputs, context);
    return { ...report, ...planned, measured: NOT_MEASURED };
  }
  const unmeasured = { ...report, measured: { samples: [], gate: gateOf(inputs, []) } };
  if (context.cancel.aborted) return { ...unmeasured, ...sendNothing(prepared, context) };
  return withClient(agentService(inputs), context, async client => {
    const error =
      (await waitFor(inputs, client, context)) ??
      (await checkGateIsJudgeable(inputs, client, context));
    if (error !== undefined || context.cancel.aborted)
      return { ...unmeasured, ...sendNothing(prepared, context, error) };
    const sent = await sendFiles(prepared, inputs, client, context);
    if (sent.cancelled || hasFatalFailure(sent.upload.files)) return { ...unmeasured, ...sent };
    // With a gate, its check has already read the stats, so the CPU figure covers the upload.
    const { measured, errors } = await measure(inputs, client, context, isGated(inputs));
    const cancelled = context.cancel.aborted;
    return { ...report, ...sent, measured, cancelled, errors: [...sent.errors, ...errors] };
  });
}

// After a full disk, the stats still work, and show how full it is.
function hasFatalFailure(results: readonly FileResult[]): boolean {
  return results.some(
    result =>
      result.status === 'failed' && isFatal(result.error) && result.error.kind !== 'disk-full',
  );
}
