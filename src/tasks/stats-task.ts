import { agentService, openClient } from '../agent/client.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { type Report, reportOf } from '../report/report.ts';
import type { Context } from './context.ts';
import { measure, reportUnmeasured, waitForSandbox } from './measure.ts';

/** Waits for the sandbox, then samples and judges it. Failed requests go into the report. */
export async function stats(inputs: Inputs<'stats'>, context: Context): Promise<Report> {
  await using client = openClient(agentService(inputs), context);
  const error = await waitForSandbox(inputs, client, context);
  const result = error ? reportUnmeasured(inputs, error) : await measure(inputs, client, context);
  return reportOf('stats', inputs, context.cancel, result);
}
