import { gateOf } from '../gate/judge.ts';
import type { SyncTask } from '../inputs/tasks.ts';
import type { Report } from '../report/report.ts';
import type { FileResult } from '../upload/result.ts';
import { measure, waitFor } from './measuring.ts';
import { selectFiles } from './selecting.ts';
import { type Surroundings, withClient } from './surroundings.ts';
import { reportOn, reportPlanned, sendFiles, unsent } from './uploading.ts';

/**
 * Finds the files, plans, waits for the sandbox, transfers, measures the sandbox, and judges it. What fails between the
 * action and the sandbox is in the report.
 * @throws InputError where the files cannot be found or planned, or the state cannot be kept; nothing has been sent then.
 */
export async function sync(task: SyncTask, surroundings: Surroundings): Promise<Report> {
  const selected = await selectFiles(task, surroundings);
  const { selection } = selected;
  const planned = reportOn('sync', selection, task);
  if (task.upload.dryRun) return reportPlanned(planned, selection, surroundings);
  // Until there are stats, nothing can be judged, and the gate stays shut.
  const base = { ...planned, gate: gateOf(task.measurement.gate, []) };
  return withClient(task.connection, task.upload, surroundings, async client => {
    const { cancel } = surroundings;
    const obstacle = await waitFor(task, client.stats, surroundings);
    if (obstacle !== undefined) {
      const files = unsent(selection, 'not-attempted', 'the sandbox was not ready');
      return { ...base, files, errors: [obstacle], cancelled: cancel.aborted };
    }
    const sent = await sendFiles(selected, task, client, surroundings);
    const report = { ...base, ...sent, warnings: [...base.warnings, ...sent.warnings] };
    if (cancel.aborted || isPointless(sent.files)) return { ...report, cancelled: cancel.aborted };
    const measured = await measure(task, client.stats, surroundings);
    const warnings = [...report.warnings, ...measured.warnings];
    return { ...report, ...measured, warnings, cancelled: cancel.aborted };
  });
}

/** Whether the stats cannot be had either; those of a full disk can, and they explain it. */
function isPointless(results: readonly FileResult[]): boolean {
  return results.some(
    result => result.status === 'failed' && result.error.final && result.error.kind !== 'disk-full',
  );
}
