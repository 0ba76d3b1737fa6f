import type { UploadTask } from '../inputs/tasks.ts';
import { discover } from '../upload/discover.ts';
import { type Plan, plan } from '../upload/plan.ts';
import { dueFiles, type Selection, select } from '../upload/selection.ts';
import { misplaced, without } from '../upload/state-entries.ts';
import { leaveOutState, readState, type StateFile } from '../upload/state-file.ts';
import { findUnchanged } from '../upload/unchanged.ts';
import { type State, stateFileOf } from './remembering.ts';
import type { Surroundings } from './surroundings.ts';

/** What a run is to do, and what it starts from. */
export interface Selected {
  readonly selection: Selection;
  /** Undefined where no state is kept. */
  readonly state: State | undefined;
}

/** Finds the files, plans where each goes, takes this run's share and what of it has changed, and shows that. */
export async function selectFiles(task: UploadTask, surroundings: Surroundings): Promise<Selected> {
  const { workspace, observer } = surroundings;
  const found = await findFiles(task, surroundings);
  const file = stateFileOf(task, workspace);
  const { shard } = task.upload;
  const selected =
    file === undefined
      ? { selection: select(found, shard), state: undefined }
      : await compare(select(leaveOutState(found, file), shard), file, {
          ...surroundings,
          shareRequests: task.upload.filesPerRequest > 1,
        });
  observer.planned(selected.selection, task);
  observer.fact?.({ kind: 'plan', selection: selected.selection });
  return selected;
}

async function findFiles(
  task: UploadTask,
  { workspace, cancel, clock, observer }: Surroundings,
): Promise<Plan> {
  const { rules, workingDirectory, includeHidden, followSymlinks, target, ifNoFilesFound } = task.upload;
  const options = { workspace, workingDirectory, includeHidden, followSymlinks, cancel };
  const start = clock();
  const matches = await discover(rules, options);
  observer.fact?.({ kind: 'search', matches, durationMs: clock() - start });
  // A search that was cut short may have found nothing yet.
  const ifNone = cancel.aborted ? 'ignore' : ifNoFilesFound;
  return plan(matches, { workspace, target, ifNoFilesFound: ifNone });
}

/** Looks up in the state which files the sandbox has already. */
async function compare(
  selection: Selection,
  file: StateFile,
  { cancel, observer, shareRequests }: Surroundings & { readonly shareRequests: boolean },
): Promise<Selected> {
  const { entries: all, warnings } = readState(file);
  // The files of other shards are sent by other runners, which this state will hear nothing of.
  const known = without(all, selection.elsewhere);
  const unchanged = await findUnchanged(selection.files, known, { cancel, shareRequests });
  observer.fact?.({ kind: 'state', path: file.path, read: all.size, unchanged: unchanged.size });
  const compared = { ...selection, unchanged, warnings: [...selection.warnings, ...warnings] };
  const due = dueFiles(compared).map(({ target }) => target);
  const entries = shareRequests ? without(known, misplaced(due)) : known;
  return { selection: compared, state: { file, entries } };
}
