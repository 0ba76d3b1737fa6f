import { hash, randomUUID } from 'node:crypto';
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
import { READ_FLAGS } from '../agent/read-file.ts';
import { pathWithin } from '../files/links.ts';
import { renameFile } from '../files/rename-file.ts';
import { isSecretHeader } from '../inputs/headers.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { takeWithin } from '../text/format.ts';
import { fieldsOf, parseFieldsOf } from '../text/json.ts';
import { systemCode } from '../text/system-error.ts';
import { quote } from '../text/visible.ts';

/** An upload that the agent acknowledged. */
export interface StateRow {
  readonly target: string;
  /** Bytes that were sent. */
  readonly size: number;
  /** Their SHA-256, in hexadecimal digits. */
  readonly sha256: string;
}

/** What a sandbox is known to hold, by the path that the agent returned. */
export type StateRows = ReadonlyMap<string, StateRow>;

export interface State {
  /** Absolute path of its file. */
  readonly file: string;
  readonly rows: StateRows;
  /** The text that was read; undefined if there was no file. */
  readonly text: string | undefined;
  /** Hash of all that decides where an upload goes. */
  readonly scope: string;
  readonly warnings: readonly string[];
}

// About 300,000 rows.
const MAX_BYTES = 64 * 1024 * 1024;

// Counts up with every change of the format.
const SCHEMA = 2;

/** @throws InputError if the file is no state, or cannot be read */
export function readState(inputs: Inputs<'upload'>, workspace: string): State | undefined {
  if (inputs.stateFile === '') return undefined;
  const file = path.resolve(workspace, inputs.stateFile);
  checkPlace(file, workspace);
  const text = readText(file);
  const scope = scopeOf(inputs);
  const rows = text === undefined ? new Map() : decodeState(text, scope);
  if (rows !== undefined) return { file, rows, text, scope, warnings: [] };
  const why =
    'is damaged, of another version, or of another sandbox, service, user, shard or headers';
  const warning = `The state file ${quote(file)} ${why}. It is ignored, and every file is sent.`;
  return { file, rows: new Map(), text, scope, warnings: [warning] };
}

/**
 * Removes the file, so that the next run sends everything again if this process is killed.
 * @throws InputError if another step changed the file meanwhile, or it cannot be removed
 */
export function claimState({ file, text }: State): void {
  if (readText(file) !== text)
    throw stateError(file, 'was changed by another step that runs at the same time');
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    rmSync(file, { force: true });
  } catch (error) {
    throw systemError(file, error, 'replaced');
  }
}

/** Writes rows to the file that was claimed. Returns a warning if it cannot be written. */
export function writeState({ file, scope }: State, rows: StateRows): string[] {
  try {
    if (!existsSync(file)) {
      writeWhole(file, encodeState(scope, rows));
      return [];
    }
    // Neither of two steps that ran at the same time knows what the other has overwritten.
    rmSync(file);
    return [
      `Another step used the state file ${quote(file)} at the same time. It was removed, so the next run sends every file.`,
    ];
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

/** A build could contain a link that leads out; an input that leads out is the user's choice. */
function checkPlace(file: string, workspace: string): void {
  if (pathWithin(workspace, file) === undefined) return;
  let folder = path.dirname(file);
  while (!existsSync(folder)) folder = path.dirname(folder);
  try {
    if (pathWithin(realpathSync.native(workspace), realpathSync.native(folder)) === undefined)
      throw stateError(file, 'is behind a link that leads out of the workspace');
  } catch (error) {
    throw systemError(file, error, 'read');
  }
}

/** Undefined if there is no file. @throws InputError if it is something other than a state */
function readText(file: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, READ_FLAGS);
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw stateError(file, 'is not a regular file');
    if (stat.size > MAX_BYTES)
      throw stateError(file, `is longer than ${MAX_BYTES / 1024 ** 2} MiB, so it is no state`);
    const text = readFileSync(descriptor, 'utf8');
    if (/^\{"schema":\d+,"(scope|sandboxId)":/.test(text)) return text;
    throw stateError(file, 'contains something other than the state of uploads');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw systemError(file, error, 'read');
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Writes a temporary file and renames it, so that nobody reads half a state. */
function writeWhole(file: string, text: string): void {
  const { dir, base } = path.parse(file);
  // Hidden, so that no build uploads what a killed process leaves behind.
  const fresh = path.join(dir, `.${base}.${randomUUID()}.tmp`);
  try {
    writeFileSync(fresh, text, { flag: 'wx', mode: 0o600 });
    renameFile(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** A row a line, sorted by path, so that the same state is the same text. */
function encodeState(scope: string, rows: StateRows): string {
  const head = `{"schema":${SCHEMA},"scope":"${scope}","files":[\n`;
  const tail = '\n]}\n';
  const sorted = [...rows].sort(([one], [other]) => (one < other ? -1 : 1));
  const lines = sorted.map(([place, { target, size, sha256 }]) =>
    JSON.stringify({ path: place, target, size, sha256 }),
  );
  // Drop rows beyond the limit, whose files are sent again: a longer file could not be read.
  const room = MAX_BYTES - Buffer.byteLength(head + tail);
  const fit = takeWithin(lines, room, line => Buffer.byteLength(line) + ',\n'.length);
  return `${head}${fit.join(',\n')}${tail}`;
}

/** The rows of a state of the same scope; undefined for any other. */
function decodeState(text: string, scope: string): StateRows | undefined {
  const { files, ...state } = parseFieldsOf(text);
  if (state['schema'] !== SCHEMA || state['scope'] !== scope) return undefined;
  if (!Array.isArray(files)) return undefined;
  const rows = new Map<string, StateRow>();
  for (const row of files) {
    const { path: place, target, size, sha256 } = fieldsOf(row);
    if (typeof place !== 'string' || typeof target !== 'string' || rows.has(place))
      return undefined;
    if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined;
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return undefined;
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
