import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AgentError } from '../agent/failure.ts';
import { statIfExists } from '../files/paths.ts';
import type { PlannedFile } from '../files/targets.ts';
import { isSecretHeader } from '../inputs/connection.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { errorText, systemCode } from '../text/errors.ts';
import { quote } from '../text/escape.ts';
import { fieldsOf, parseFields } from '../text/json.ts';
import { hashFile } from './read-file.ts';
import type { FileResult } from './upload-files.ts';

export interface UploadState {
  readonly file: string;
  readonly rows: readonly StateRow[];
  /** A hash of everything that decides where uploads go. */
  readonly scope: string;
  readonly warnings: readonly string[];
}

interface StateRow {
  readonly path: string;
  readonly target: string;
  readonly size: number;
  /** Undefined once the file has left the build. */
  readonly sha256: string | undefined;
}

// Increase this whenever the format changes.
const STATE_VERSION = 2;

/**
 * Returns undefined if `state-file` is not set, and no rows without a usable state.
 * @throws InputError if the file is not a state file
 */
export function readState(inputs: Inputs<'upload'>, workspace: string): UploadState | undefined {
  if (inputs.stateFile === '') return undefined;
  const file = resolve(workspace, inputs.stateFile);
  const scope = scopeOf(inputs);
  const rows = readRows(file, scope);
  if (rows !== undefined) return { file, scope, rows, warnings: [] };
  const warning = `The state file ${quote(file)} is damaged, of another version, or of another sandbox, service, user, shard or headers. It is ignored, and every file is sent.`;
  return { file, scope, rows: [], warnings: [warning] };
}

/**
 * Marks files that match the state as `unchanged`, and lists the sandbox paths of files that have
 * left the build.
 */
export async function compareWithState(
  planned: readonly FileResult[],
  state: UploadState | undefined,
  cancel: AbortSignal,
): Promise<{ readonly files: readonly FileResult[]; readonly orphaned: readonly string[] }> {
  const { rows = [] } = state ?? {};
  const byTarget = new Map(rows.map(row => [row.target, row]));
  const files: FileResult[] = [];
  for (const result of planned) {
    const { file } = result;
    const row = byTarget.get(file.target);
    const isUnchanged = row !== undefined && (await matchesRow(file, row, cancel));
    files.push(
      isUnchanged ? { status: 'unchanged', file, path: row.path, sha256: row.sha256 } : result,
    );
  }
  // A cancelled search finds no files, so every file would seem to have left the build.
  if (cancel.aborted) return { files, orphaned: [] };
  const targets = new Set(planned.map(({ file }) => file.target));
  const orphans = rows.filter(({ path, target }) => !targets.has(target) && !targets.has(path));
  return { files, orphaned: orphans.map(({ path }) => path) };
}

async function matchesRow(
  file: PlannedFile,
  { size, sha256 }: StateRow,
  cancel: AbortSignal,
): Promise<boolean> {
  if (sha256 === undefined || size !== file.size) return false;
  try {
    return (await hashFile(file, cancel)) === sha256;
  } catch (error) {
    // The transfer reports unreadable files.
    if (error instanceof AgentError) return false;
    throw error;
  }
}

/**
 * Removes the state file before a transfer. If that is interrupted, the next run sends every file.
 * @throws InputError if the file cannot be removed
 */
export function removeState({ file }: UploadState): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true });
  } catch (error) {
    throw stateError(file, `cannot be replaced (${systemCode(error)})`);
  }
}

/** Writes the state if the sandbox has every file. Returns a warning if that fails. */
export function writeState(state: UploadState, results: readonly FileResult[]): readonly string[] {
  const rows = new Map<string, StateRow>();
  // Keep files that have left the build, so that later runs still report them as orphaned. Drop their
  // hashes: users may delete such files in the sandbox, so they must be sent if they return.
  for (const row of state.rows) rows.set(row.path, { ...row, sha256: undefined });
  for (const result of results) {
    if (!('path' in result)) return [];
    const { path, file, sha256 } = result;
    rows.set(path, { path, target: file.target, size: file.size, sha256 });
  }
  const text = JSON.stringify({
    schema: STATE_VERSION,
    scope: state.scope,
    files: [...rows.values()],
  });
  try {
    // A truncated file is invalid JSON, so the next run ignores it.
    writeFileSync(state.file, `${text}\n`, { flag: 'wx', mode: 0o600 });
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
  const part = shard === undefined ? '' : `${shard.index}/${shard.count}`;
  const all = [sandboxId, baseUrl, username, part, port, uploadPath, headerPrefix, shown];
  return hash('sha256', JSON.stringify(all));
}

/**
 * Returns no rows if the file is missing or empty, and undefined if it is damaged, of another
 * version or of another scope.
 * @throws InputError if it is not a state file
 */
function readRows(file: string, expectedScope: string): StateRow[] | undefined {
  const stats = statIfExists(file);
  if (stats === undefined) return [];
  // Reading a pipe or a device might never end.
  if (!stats.isFile()) throw stateError(file, 'is not a regular file');
  const text = readFileSync(file, 'utf8');
  if (text === '') return [];
  if (!/^\{"schema":\d+,"scope":/.test(text))
    throw stateError(file, 'contains something other than the state of uploads');
  const { schema, scope, files } = parseFields(text);
  if (schema !== STATE_VERSION || scope !== expectedScope || !Array.isArray(files))
    return undefined;
  return files.every(isRow) ? files : undefined;
}

function isRow(row: unknown): row is StateRow {
  const { path, target, size, sha256 } = fieldsOf(row);
  const isFile = typeof path === 'string' && typeof target === 'string' && typeof size === 'number';
  return isFile && (sha256 === undefined || typeof sha256 === 'string');
}

function stateError(file: string, why: string) {
  const message = `${quote(file)} ${why}. Name a file that only this step writes.`;
  return inputError('state-file', message, '.sandbox-sync/state.json');
}
