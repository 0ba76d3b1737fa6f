import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { statIfExists } from '../files/paths.ts';
import type { PlannedFile } from '../files/targets.ts';
import { isSecretHeader } from '../inputs/connection.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { quote } from '../text/escape.ts';
import { errorText } from '../text/format.ts';
import { fieldsOf, parseFields } from '../text/json.ts';
import { hashFile } from './upload-body.ts';
import { type Changes, fileRow, type StoredRow } from './upload-files.ts';

export interface UploadState {
  readonly file: string;
  readonly rows: readonly StateRow[];
  /** A hash of everything that decides where uploads go. */
  readonly scope: string;
  readonly warnings: readonly string[];
}

interface StateRow extends Pick<StoredRow, 'path' | 'target' | 'size'> {
  readonly sha256: string;
}

// Increase this whenever the format changes.
const STATE_VERSION = 2;

const STATE_START = `{"schema":${STATE_VERSION},"scope":`;

/** Returns undefined if `state-file` is not set, and no rows without a usable state. */
export function readState(inputs: Inputs<'upload'>, workspace: string): UploadState | undefined {
  if (inputs.stateFile === '') return undefined;
  const file = resolve(workspace, inputs.stateFile);
  const scope = scopeOf(inputs);
  const rows = readRows(file, scope);
  if (rows !== undefined) return { file, scope, rows, warnings: [] };
  const warning = `The state file ${quote(file)} is damaged, of another version, or of another sandbox, service, user, shard or headers. It is ignored, and every file is sent.`;
  return { file, scope, rows: [], warnings: [warning] };
}

export async function compareWithState(
  planned: readonly PlannedFile[],
  state: UploadState | undefined,
  cancel: AbortSignal,
): Promise<Changes> {
  // A cancelled search finds no files, so every file would seem to have left the build.
  const rows = cancel.aborted || state === undefined ? [] : state.rows;
  const byTarget = new Map(rows.map(row => [row.target, row]));
  const toSend: PlannedFile[] = [];
  const unchanged: StoredRow<'unchanged'>[] = [];
  for (const file of planned) {
    const row = byTarget.get(file.target);
    // Sending a file that cannot be read says why, and only that file fails.
    const hashIfReadable = () => hashFile(file, cancel).catch(() => undefined);
    if (row?.size === file.size && (await hashIfReadable()) === row.sha256)
      unchanged.push({ ...fileRow(file), status: 'unchanged', path: row.path, sha256: row.sha256 });
    else toSend.push(file);
  }
  const targets = new Set(planned.map(({ target }) => target));
  const orphans = rows.filter(({ path, target }) => !targets.has(target) && !targets.has(path));
  return { toSend, unchanged, orphaned: orphans.map(({ path }) => path) };
}

/** Call this before a transfer: if that is interrupted, the next run sends every file. */
export function clearState({ file }: UploadState): void {
  // If the file cannot be written, fail now, before anything is sent.
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '', { mode: 0o600 });
}

/** Returns a warning if the file cannot be written, since everything has arrived by then. */
export function writeState(
  { file: stateFile, scope }: UploadState,
  stored: readonly StoredRow[],
): readonly string[] {
  const files = stored.map(({ path, target, size, sha256 }) => ({ path, target, size, sha256 }));
  const text = JSON.stringify({ schema: STATE_VERSION, scope, files });
  try {
    // A truncated file is invalid JSON, so the next run ignores it.
    writeFileSync(stateFile, `${text}\n`, { mode: 0o600 });
    return [];
  } catch (error) {
    const reason = errorText(error);
    return [`The state file could not be written, so the next run sends every file: ${reason}.`];
  }
}

// Leave out the values of secret headers, which change from run to run.
function scopeOf(inputs: Inputs<'upload'>): string {
  const { sandboxId, baseUrl, username, shard, port, uploadPath, headerPrefix, headers } = inputs;
  const shown = Object.entries(headers)
    .map(([name, value]) => `${name.toLowerCase()}: ${isSecretHeader(name) ? '' : value}`)
    .sort();
  const all = [sandboxId, baseUrl, username, shard, port, uploadPath, headerPrefix, shown];
  return hash('sha256', JSON.stringify(all));
}

// Returns no rows if there is no state yet, and undefined if it is damaged, of another version or
// of another scope.
function readRows(file: string, expectedScope: string): StateRow[] | undefined {
  const stats = statIfExists(file);
  if (stats === undefined) return [];
  // Reading a pipe or a device might never end.
  if (!stats.isFile()) throw stateError(file, 'is not a regular file');
  const text = readFileSync(file, 'utf8');
  if (text === '') return [];
  // A full disk may have cut it off anywhere.
  if (!/^\{"schema":\d+,"scope":/.test(text) && !STATE_START.startsWith(text))
    throw stateError(file, 'contains something other than the state of uploads');
  const { schema, scope, files } = parseFields(text);
  if (schema !== STATE_VERSION || scope !== expectedScope || !Array.isArray(files))
    return undefined;
  return files.every(isRow) ? files : undefined;
}

function isRow(row: unknown): row is StateRow {
  const { path, target, size, sha256 } = fieldsOf(row);
  const areTexts = [path, target, sha256].every(text => typeof text === 'string');
  return areTexts && typeof size === 'number';
}

function stateError(file: string, why: string) {
  const message = `${quote(file)} ${why}. Name a file that only this step writes.`;
  return inputError('state-file', message, '.sandbox-sync/state.json');
}
