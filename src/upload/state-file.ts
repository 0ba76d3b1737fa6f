import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { READ_FLAGS, renameFile, systemCode } from '../agent/file.ts';
import { type InputError, inputError } from '../inputs/parse.ts';
import type { Inputs } from '../inputs/table.ts';
import { quote } from '../text/visible.ts';
import type { PlannedFile } from './plan.ts';
import type { FileResult } from './result.ts';
import { pathWithin } from './sources.ts';
import { afterTransfer, decodeState, type Entries, encodeState, type StateScope, without } from './state.ts';

/** Where a state is kept, and of what it is. */
export interface StateFile {
  readonly path: string;
  readonly scope: StateScope;
}

/** What a run knows of the sandbox at its start, and where that is kept. */
export interface State {
  readonly file: StateFile;
  readonly entries: Entries;
}

// Some 300,000 entries.
const MAX_BYTES = 64 * 1024 * 1024;

const NONE: Entries = new Map();

/** A state as it was read, and maybe a warning. */
export interface StateRead extends State {
  readonly warnings: readonly string[];
}

/** Reads the state of these inputs, if one is kept; no entries where none hold for its scope. @throws InputError */
export async function openState(inputs: Inputs<'upload'>, workspace: string): Promise<StateRead | undefined> {
  const file = stateFileOf(inputs, workspace);
  if (file === undefined) return undefined;
  const text = contentOf(file.path);
  const entries = text === undefined ? NONE : decodeState(text, file.scope);
  if (entries === undefined) throw refusal(file.path, 'contains something other than the state of uploads');
  if (typeof entries !== 'string') return { file, entries, warnings: [] };
  const message = `The state file ${quote(file.path)} ${entries}. It is ignored, and every file is sent.`;
  return { file, entries: NONE, warnings: [message] };
}

function stateFileOf(inputs: Inputs<'upload'>, workspace: string): StateFile | undefined {
  const { stateFile, sandboxId, baseUrl, username, shard } = inputs;
  if (stateFile === '') return undefined;
  const file = path.resolve(workspace, stateFile);
  refuseLeaving(file, workspace);
  const part = shard === undefined ? '' : `${shard.index}/${shard.count}`;
  return { path: file, scope: { sandboxId, baseUrl, username, shard: part } };
}

/** A build could hold a link by which its files would be written elsewhere; what the user names outside the workspace is fine. */
function refuseLeaving(file: string, workspace: string): void {
  let folder = path.dirname(file);
  while (!existsSync(folder)) folder = path.dirname(folder);
  const leaves = pathWithin(realpathSync.native(workspace), realpathSync.native(folder)) === undefined;
  if (leaves && pathWithin(workspace, file) !== undefined)
    throw refusal(file, 'is behind a link that leads out of the workspace');
}

/** Whether a file found is the state file, or the one that is about to take its place: neither is part of a build. */
export function isStateFile({ path: file }: StateFile): (found: Pick<PlannedFile, 'realPath'>) => boolean {
  const own = [file, freshFile(file)].map(realPathOf);
  return ({ realPath }) => own.includes(realPath);
}

/** Takes what is about to be sent out of the file: an upload may fail half-way, and a killed process tells nobody. */
export function forget({ file, entries }: State, due: readonly PlannedFile[]): void {
  const targets = due.map(({ target }) => target);
  try {
    writeState(file, without(entries, targets));
  } catch (error) {
    throw refusalOf(file.path, error, 'written');
  }
}

/** Writes what a transfer came to into the state file; a warning where that cannot be done. */
export function remember({ file, entries }: State, results: readonly FileResult[]): string[] {
  try {
    writeState(file, afterTransfer(entries, results));
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [`The state file could not be written, so the next run sends these files again: ${reason}.`];
  }
}

/** In one step: a reader, or a process that is killed, never leaves a part of it. */
function writeState({ path: file, scope }: StateFile, entries: Entries): void {
  const fresh = freshFile(file);
  mkdirSync(path.dirname(file), { recursive: true });
  try {
    // One that a killed process left behind.
    rmSync(fresh, { force: true });
    writeFileSync(fresh, encodeState(scope, entries, MAX_BYTES), { flag: 'wx', mode: 0o600 });
    renameFile(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}

function contentOf(file: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, READ_FLAGS);
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw refusal(file, 'is not a regular file');
    if (stat.size > MAX_BYTES) throw refusal(file, `is longer than ${MAX_BYTES / 1024 ** 2} MiB, so it is no state`);
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw refusalOf(file, error, 'read');
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** What keeps the state file from being read or written; of bugs and refusals, the very one. */
function refusalOf(file: string, error: unknown, verb: 'read' | 'written'): unknown {
  const code = systemCode(error);
  return code === undefined ? error : refusal(file, `cannot be ${verb} (${code})`);
}

function refusal(file: string, why: string): InputError {
  const message = `${quote(file)} ${why}. Name a file that this step may write.`;
  return inputError('state-file', message, '.sandbox-sync/state.json');
}

// Beside it, since a file can be moved in one step on one file system only.
function freshFile(file: string): string {
  return `${file}.new`;
}

function realPathOf(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}
