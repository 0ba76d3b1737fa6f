import { hash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hashFile } from '../agent/read-file.ts';
import type { PlannedFile } from '../files/plan.ts';
import { isSecretHeader } from '../inputs/connection.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { errorText, fieldsOf, parseFields, systemCode } from '../text/unknown.ts';
import { quote } from '../text/visible.ts';
import type { FileResult, KnownFile } from './transfer.ts';

export interface StateRow {
  readonly target: string;
  readonly size: number;
  /** Hex digest; undefined once the file has left the build. */
  readonly sha256: string | undefined;
}

export interface State {
  readonly file: string;
  /** Keyed by the path that the agent returned. */
  readonly rows: ReadonlyMap<string, StateRow>;
  /** Hash of everything that decides where uploads go. */
  readonly scope: string;
  readonly warnings: readonly string[];
}

// Bump this for every change of the format.
const SCHEMA = 2;

/** @throws InputError if the file cannot be read or is not a state file */
export function readState(inputs: Inputs<'upload'>, workspace: string): State | undefined {
  if (inputs.stateFile === '') return undefined;
  const file = path.resolve(workspace, inputs.stateFile);
  const scope = scopeOf(inputs);
  refuseLinks(file, path.resolve(workspace));
  const text = readText(file);
  const rows = text === '' ? new Map<string, StateRow>() : decodeRows(text, scope);
  if (rows !== undefined) return { file, rows, scope, warnings: [] };
  const why =
    'is damaged, of another version, or of another sandbox, service, user, shard or headers';
  const warning = `The state file ${quote(file)} ${why}. It is ignored, and every file is sent.`;
  return { file, rows: new Map(), scope, warnings: [warning] };
}

export interface Changes {
  readonly unchanged: Map<PlannedFile, KnownFile>;
  /** Paths in the sandbox of files that have left the build. */
  readonly orphaned: string[];
}

export async function findChanges(
  files: readonly PlannedFile[],
  { rows }: State,
  cancel: AbortSignal,
): Promise<Changes> {
  const byTarget = new Map([...rows].map(([place, row]) => [row.target, { place, ...row }]));
  const unchanged = new Map<PlannedFile, KnownFile>();
  for (const file of files) {
    const { place, size, sha256 } = byTarget.get(file.target) ?? {};
    if (place === undefined || sha256 === undefined || size !== file.size) continue;
    if ((await hashFile(file, cancel)) === sha256) unchanged.set(file, { path: place, sha256 });
  }
  const targets = new Set(files.map(({ target }) => target));
  const isPlanned = ([place, { target }]: [string, StateRow]) =>
    targets.has(target) || targets.has(place);
  const orphaned = cancel.aborted ? [] : [...rows].filter(row => !isPlanned(row));
  return { unchanged, orphaned: orphaned.map(([place]) => place) };
}

/**
 * Removes the state file before the transfer, so that an interrupted run makes the next one send
 * every file.
 * @throws InputError if the file cannot be removed
 */
export function removeState({ file }: State): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    rmSync(file, { force: true });
  } catch (error) {
    throw systemError(file, error, 'replaced');
  }
}

/** Writes the state if every file arrived. Returns warnings. */
export function writeState(state: State, results: readonly FileResult[]): string[] {
  // Keep files that have left the build, but forget their hashes: users may delete them.
  const rows = new Map<string, StateRow>();
  for (const [place, row] of state.rows) rows.set(place, { ...row, sha256: undefined });
  for (const result of results) {
    if (result.status !== 'uploaded' && result.status !== 'unchanged') return [];
    const { file, path: place, sha256 } = result;
    rows.set(place, { target: file.target, size: file.size, sha256 });
  }
  try {
    // A truncated file is invalid JSON, so the next run ignores it.
    writeFileSync(state.file, encodeRows(rows, state.scope), { flag: 'wx', mode: 0o600 });
    return [];
  } catch (error) {
    const reason = errorText(error);
    return [`The state file could not be written, so the next run sends every file: ${reason}.`];
  }
}

// Omit secret values, which change from run to run.
function scopeOf(inputs: Inputs<'upload'>): string {
  const { sandboxId, baseUrl, username, shard, port, uploadPath, headerPrefix, headers } = inputs;
  const shown = Object.entries(headers)
    .map(([name, value]) => `${name.toLowerCase()}: ${isSecretHeader(name) ? '' : value}`)
    .sort();
  const part = shard === undefined ? '' : `${shard.index}/${shard.count}`;
  const all = [sandboxId, baseUrl, username, part, port, uploadPath, headerPrefix, shown];
  return hash('sha256', JSON.stringify(all));
}

// A build could plant a link that leads out of the workspace.
function refuseLinks(file: string, workspace: string): void {
  let at = file;
  do {
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw stateError(file, at === file ? 'is a symbolic link' : 'is behind a symbolic link');
    at = path.dirname(at);
  } while (at.startsWith(`${workspace}${path.sep}`));
}

/** Returns '' if there is no file. @throws InputError if the file is not a state file */
function readText(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (text === '' || /^\{"schema":\d+,"scope":/.test(text)) return text;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw systemError(file, error, 'read');
  }
  throw stateError(file, 'contains something other than the state of uploads');
}

// Sort by path, so that the same state always has the same text.
function encodeRows(rows: State['rows'], scope: string): string {
  const sorted = [...rows].sort(([one], [other]) => (one < other ? -1 : 1));
  const lines = sorted.map(([place, row]) => JSON.stringify({ path: place, ...row }));
  return `{"schema":${SCHEMA},"scope":"${scope}","files":[\n${lines.join(',\n')}\n]}\n`;
}

/** Decodes the rows; undefined if written for another scope. */
function decodeRows(text: string, scope: string): Map<string, StateRow> | undefined {
  const { files, ...state } = parseFields(text);
  if (state['schema'] !== SCHEMA || state['scope'] !== scope) return undefined;
  if (!Array.isArray(files)) return undefined;
  const rows = new Map<string, StateRow>();
  for (const row of files) {
    const { path: place, target, size, sha256 } = fieldsOf(row);
    if (typeof place !== 'string' || typeof target !== 'string') return undefined;
    if (typeof size !== 'number') return undefined;
    if (sha256 !== undefined && typeof sha256 !== 'string') return undefined;
    rows.set(place, { target, size, sha256 });
  }
  return rows;
}

function systemError(file: string, error: unknown, verb: string): unknown {
  const code = systemCode(error);
  return code === undefined ? error : stateError(file, `cannot be ${verb} (${code})`);
}

function stateError(file: string, why: string) {
  const message = `${quote(file)} ${why}. Name a file that only this step writes.`;
  return inputError('state-file', message, '.sandbox-sync/state.json');
}
