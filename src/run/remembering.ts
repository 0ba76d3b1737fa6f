import path from 'node:path';
import type { UploadTask } from '../inputs/tasks.ts';
import type { PlannedFile } from '../upload/plan.ts';
import type { FileResult } from '../upload/result.ts';
import type { Entries } from '../upload/state.ts';
import { afterTransfer, without } from '../upload/state-entries.ts';
import { type StateFile, stateFileError, writeState } from '../upload/state-file.ts';

/** What a run knows of the sandbox at its start, and where that is kept. */
export interface State {
  readonly file: StateFile;
  readonly entries: Entries;
}

/** Where the task keeps its state; undefined where it keeps none. */
export function stateFileOf({ connection, upload }: UploadTask, workspace: string): StateFile | undefined {
  if (upload.stateFile === '') return undefined;
  const { sandboxId, baseUrl } = connection;
  const { query, shard } = upload;
  const scope = {
    sandboxId,
    baseUrl,
    username: query['username'] ?? '',
    shard: shard === undefined ? '' : `${shard.index}/${shard.count}`,
  };
  return { path: path.resolve(workspace, upload.stateFile), scope };
}

/**
 * Takes what is about to be sent out of the state file: an upload that fails may leave a part of the file in the sandbox,
 * and a process that is killed can no longer say so.
 * @throws InputError where the file cannot be written.
 */
export function forget(state: State | undefined, due: readonly PlannedFile[]): void {
  if (state === undefined) return;
  const targets = due.map(({ target }) => target);
  try {
    writeState(state.file, without(state.entries, targets));
  } catch (error) {
    throw stateFileError(state.file.path, error, 'written');
  }
}

/** Writes what a transfer came to into the state file; a warning where that cannot be done. */
export function remember(state: State | undefined, results: readonly FileResult[]): string[] {
  if (state === undefined) return [];
  try {
    writeState(state.file, afterTransfer(state.entries, results));
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [`The state file could not be written, so the next run sends these files again: ${reason}.`];
  }
}
