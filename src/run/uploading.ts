import type { AgentClient } from '../agent/client.ts';
import type { UploadTask } from '../inputs/tasks.ts';
import type { UploadInputs } from '../inputs/upload.ts';
import { EMPTY_REPORT, type Report, type Task } from '../report/report.ts';
import { openLevel } from '../upload/level.ts';
import type { FileResult } from '../upload/result.ts';
import { dueFiles, resultsOf, type Selection } from '../upload/selection.ts';
import { transfer } from '../upload/transfer.ts';
import { forget, remember } from './remembering.ts';
import type { Selected } from './selecting.ts';
import type { Surroundings } from './surroundings.ts';

/** What a report says before anything was sent. */
export function reportOn(task: Task, selection: Selection, { connection, upload }: UploadTask): Report {
  const { leftOut, warnings, share } = selection;
  const { sandboxId, baseUrl } = connection;
  const base = { ...EMPTY_REPORT, task, sandboxId, baseUrl, dryRun: upload.dryRun, leftOut, share };
  return { ...base, warnings: [...warnings, ...signatureWarning(dueFiles(selection).length, upload)] };
}

function signatureWarning(files: number, { query }: UploadInputs): string[] {
  if (files < 2 || query['signature'] === undefined) return [];
  return [`One signature covers one target path, and ${files} files are to be uploaded with it.`];
}

/**
 * Uploads the files that are due, and keeps the state.
 * @throws InputError where the state file cannot be written; nothing has been sent then.
 */
export async function sendFiles(
  { selection, state }: Selected,
  { connection, upload }: UploadTask,
  client: AgentClient,
  { cancel, sleep, random, clock, observer }: Surroundings,
): Promise<Pick<Report, 'files' | 'durationMs' | 'warnings'>> {
  const due = dueFiles(selection);
  forget(state, due);
  const { fact } = observer;
  const start = clock();
  const results = await transfer(due, {
    client,
    level: openLevel(upload.concurrency, clock, fact && (change => fact({ kind: 'level', change }))),
    filesPerRequest: upload.filesPerRequest,
    retry: { retries: connection.retries, sleep, random },
    cancel,
    onEvent: event => observer.event(event),
    clock,
  });
  const durationMs = Math.round(clock() - start);
  return { files: resultsOf(selection, results), durationMs, warnings: remember(state, results) };
}

/** The report of a run that was to plan only. */
export function reportPlanned(planned: Report, selection: Selection, { cancel }: Surroundings): Report {
  return { ...planned, files: unsent(selection, 'skipped', 'dry run'), cancelled: cancel.aborted };
}

/** The results where nothing was sent, for one reason. */
export function unsent(
  selection: Selection,
  status: 'skipped' | 'not-attempted',
  reason: string,
): FileResult[] {
  return resultsOf(
    selection,
    dueFiles(selection).map(file => ({ status, file, reason })),
  );
}
