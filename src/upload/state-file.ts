import { hash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hashFile } from '../agent/read-file.ts';
import type { PlannedFile } from '../files/plan.ts';
import { isSecretHeader } from '../inputs/connection.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { fieldsOf, parseFields, systemCode } from '../text/unknown.ts';
import { quote } from '../text/visible.ts';
import type { FileResult, KnownFile } from './transfer.ts';

/** An upload that the agent acknowledged. */
export interface StateRow {
  readonly target: string;
  /** Bytes that were sent. */
  readonly size: number;
  /** Their SHA-256, in hexadecimal digits; undefined once the file is no longer in the build. */
  readonly sha256: string | undefined;
}

/** What a sandbox is known to hold. */
export interface State {
  /** Absolute path of its file. */
  readonly file: string;
  /** By the path that the agent returned. */
  readonly rows: ReadonlyMap<string, StateRow>;
  /** Hash of all that decides where an upload goes. */
  readonly scope: string;
  readonly warnings: readonly string[];
}

// Counts up with every change of the format.
const SCHEMA = 2;

/** @throws InputError if the file is no state, or cannot be read */
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
  /** The files that the sandbox has already: same target, size and hash. */
  readonly unchanged: Map<PlannedFile, KnownFile>;
  /** Paths in the sandbox of files that are no longer in the build. */
  readonly orphaned: string[];
}

/** Compares a plan with a state. */
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
 * Removes the file before anything is sent, so that the next run sends every file if this one does
 * not come to its end. @throws InputError if it cannot be removed
 */
export function removeState({ file }: State): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    rmSync(file, { force: true });
  } catch (error) {
    throw systemError(file, error, 'replaced');
  }
}

/**
 * Writes what the sandbox holds after a transfer in which everything arrived; after any other,
 * nothing. Returns warnings.
 */
export function writeState(state: State, results: readonly FileResult[]): string[] {
  // What is no longer in the build stays known, but not its hash: users delete such files.
  const rows = new Map<string, StateRow>();
  for (const [place, row] of state.rows) rows.set(place, { ...row, sha256: undefined });
  for (const result of results) {
    if (result.status !== 'uploaded' && result.status !== 'unchanged') return [];
    const { file, path: place, sha256 } = result;
    rows.set(place, { target: file.target, size: file.size, sha256 });
  }
  try {
    // A file that was cut, by a full disk or a kill, is not valid JSON, so the next run ignores it.
    writeFileSync(state.file, encodeRows(rows, state.scope), { flag: 'wx', mode: 0o600 });
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [`The state file could not be written, so the next run sends every file: ${reason}.`];
  }
}

/** Secret values are left out, since they change from run to run. */
function scopeOf(inputs: Inputs<'upload'>): string {
  const { sandboxId, baseUrl, username, shard, port, uploadPath, headerPrefix, headers } = inputs;
  const shown = Object.entries(headers)
    .map(([name, value]) => `${name.toLowerCase()}: ${isSecretHeader(name) ? '' : value}`)
    .sort();
  const part = shard === undefined ? '' : `${shard.index}/${shard.count}`;
  const all = [sandboxId, baseUrl, username, part, port, uploadPath, headerPrefix, shown];
  return hash('sha256', JSON.stringify(all));
}

/** A build could contain a link that leads out of the workspace. */
function refuseLinks(file: string, workspace: string): void {
  let at = file;
  do {
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw stateError(file, at === file ? 'is a symbolic link' : 'is behind a symbolic link');
    at = path.dirname(at);
  } while (at.startsWith(`${workspace}${path.sep}`));
}

/** Empty if there is no file. @throws InputError if it is something other than a state */
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

/** A row a line, sorted by path, so that the same state is the same text. */
function encodeRows(rows: State['rows'], scope: string): string {
  const sorted = [...rows].sort(([one], [other]) => (one < other ? -1 : 1));
  const lines = sorted.map(([place, row]) => JSON.stringify({ path: place, ...row }));
  return `{"schema":${SCHEMA},"scope":"${scope}","files":[\n${lines.join(',\n')}\n]}\n`;
}

/** The rows of a state of the same scope; undefined for any other. */
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
