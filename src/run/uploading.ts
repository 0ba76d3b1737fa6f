import type { AgentClient } from '../agent/client.ts';
import type { UploadTask } from '../inputs/tasks.ts';
import type { UploadInputs } from '../inputs/upload.ts';
import { EMPTY_REPORT, type Report, type Task } from '../report/report.ts';
import { discover } from '../upload/discover.ts';
import { openLevel } from '../upload/level.ts';
import { type Plan, type PlannedFile, plan } from '../upload/plan.ts';
import type { FileResult } from '../upload/result.ts';
import { transfer } from '../upload/transfer.ts';
import type { Surroundings } from './surroundings.ts';

/** Finds the files and plans where each goes, and shows the plan. */
export async function findFiles(
  task: UploadTask,
  { workspace, observer, cancel }: Surroundings,
): Promise<Plan> {
  const { rules, workingDirectory, includeHidden, followSymlinks, target, ifNoFilesFound } = task.upload;
  const options = { workspace, workingDirectory, includeHidden, followSymlinks, cancel };
  const matches = await discover(rules, options);
  // A search that was cut short may have found nothing yet.
  const ifNone = cancel.aborted ? 'ignore' : ifNoFilesFound;
  const found = plan(matches, { workspace, target, ifNoFilesFound: ifNone });
  observer.planned(found, task);
  return found;
}

/** What a report says of a plan before anything was sent. */
export function reportOn(
  task: Task,
  { files, leftOut, warnings }: Plan,
  { connection, upload }: UploadTask,
): Report {
  const { sandboxId, baseUrl } = connection;
  const base = { ...EMPTY_REPORT, task, sandboxId, baseUrl, dryRun: upload.dryRun, leftOut };
  return { ...base, warnings: [...warnings, ...signatureWarning(files.length, upload)] };
}

function signatureWarning(files: number, { query }: UploadInputs): string[] {
  if (files < 2 || query['signature'] === undefined) return [];
  return [`One signature covers one target path, and ${files} files are to be uploaded with it.`];
}

/** Uploads the planned files. */
export async function sendFiles(
  files: readonly PlannedFile[],
  { connection, upload }: UploadTask,
  client: AgentClient,
  { cancel, sleep, random, clock, observer }: Surroundings,
): Promise<Pick<Report, 'files' | 'durationMs'>> {
  const start = clock();
  const results = await transfer(files, {
    client,
    level: openLevel(upload.concurrency, clock),
    filesPerRequest: upload.filesPerRequest,
    retry: { retries: connection.retries, sleep, random },
    cancel,
    onEvent: event => observer.event(event),
    clock,
  });
  return { files: results, durationMs: Math.round(clock() - start) };
}

/** The report of a run that was to plan only. */
export function reportPlanned(
  planned: Report,
  files: readonly PlannedFile[],
  { cancel }: Surroundings,
): Report {
  return { ...planned, files: unsent(files, 'skipped', 'dry run'), cancelled: cancel.aborted };
}

/** The results of files that were not sent, all for one reason. */
export function unsent(
  files: readonly PlannedFile[],
  status: 'skipped' | 'not-attempted',
  reason: string,
): FileResult[] {
  return files.map(file => ({ status, file, reason }));
}
