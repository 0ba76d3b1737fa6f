import type { UploadTask } from '../inputs/tasks.ts';
import type { Report } from '../report/report.ts';
import { type Surroundings, withClient } from './surroundings.ts';
import { findFiles, reportOn, reportPlanned, sendFiles } from './uploading.ts';

/**
 * Finds the files, plans, and transfers.
 * @throws InputError where the files cannot be found or planned; nothing has been sent then.
 */
export async function upload(task: UploadTask, surroundings: Surroundings): Promise<Report> {
  const plan = await findFiles(task, surroundings);
  const base = reportOn('upload', plan, task);
  if (task.upload.dryRun) return reportPlanned(base, plan.files, surroundings);
  return withClient(task.connection, task.upload, surroundings, async client => {
    const sent = await sendFiles(plan.files, task, client, surroundings);
    return { ...base, ...sent, cancelled: surroundings.cancel.aborted };
  });
}
