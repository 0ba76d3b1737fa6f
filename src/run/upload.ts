import type { UploadTask } from '../inputs/tasks.ts';
import type { Report } from '../report/report.ts';
import { selectFiles } from './selecting.ts';
import { type Surroundings, withClient } from './surroundings.ts';
import { reportOn, reportPlanned, sendFiles } from './uploading.ts';

/**
 * Finds the files, plans, and transfers.
 * @throws InputError where the files cannot be found or planned, or the state cannot be kept; nothing has been sent then.
 */
export async function upload(task: UploadTask, surroundings: Surroundings): Promise<Report> {
  const selected = await selectFiles(task, surroundings);
  const base = reportOn('upload', selected.selection, task);
  if (task.upload.dryRun) return reportPlanned(base, selected.selection, surroundings);
  return withClient(task.connection, task.upload, surroundings, async client => {
    const sent = await sendFiles(selected, task, client, surroundings);
    const warnings = [...base.warnings, ...sent.warnings];
    return { ...base, ...sent, warnings, cancelled: surroundings.cancel.aborted };
  });
}
