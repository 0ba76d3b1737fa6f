import { agentService, withClient } from '../agent/client.ts';
import { gateOf } from '../gate/judge.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { type Report, reportOf } from '../report/report.ts';
import type { Context } from './context.ts';
import { measure, waitForSandbox } from './measure.ts';

/** Waits for the sandbox, then samples and judges it. Failed requests go into the report. */
export async function stats(inputs: Inputs<'stats'>, context: Context): Promise<Report> {
  const { cancel } = context;
  const result = await withClient(agentService(inputs), context, async client => {
    const error = await waitForSandbox(inputs, client, context);
    if (error === undefined && !cancel.aborted) return measure(inputs, client, context);
    const measured = { samples: [], gate: gateOf(inputs, []) };
    return { measured, errors: error === undefined ? [] : [error] };
  });
  return reportOf('stats', inputs, cancel, result);
}
