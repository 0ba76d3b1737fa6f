import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { READ_FLAGS } from '../agent/opened.ts';
import { systemCode } from '../agent/system-error.ts';
import { InputError } from '../inputs/parse.ts';
import { quote } from '../text/visible.ts';
import type { Plan, PlannedFile } from './plan.ts';
import { decodeState, type Entries, encodeState, type StateScope } from './state.ts';

/** Where a state is kept, and of what it is. */
export interface StateFile {
  /** Absolute path on the runner. */
  readonly path: string;
  readonly scope: StateScope;
}

// Some 300,000 entries. A state that has grown beyond that, with names that change in every build, begins anew.
const MAX_BYTES = 64 * 1024 * 1024;

const EXAMPLE = 'state-file: .sandbox-sync/state.json';

/**
 * The entries of a state file: none where there is no file yet; none, and a warning, where it does not hold for the scope.
 * @throws InputError where there is something that cannot be read.
 */
export function readState(file: StateFile): { entries: Entries; warnings: string[] } {
  const found = contentOf(file.path);
  if (found === undefined) return { entries: new Map(), warnings: [] };
  const entries = 'text' in found ? decodeState(found.text, file.scope) : found.refused;
  if (typeof entries !== 'string') return { entries, warnings: [] };
  const message = `The state file ${quote(file.path)} ${entries}. It is ignored, and every file is sent.`;
  return { entries: new Map(), warnings: [message] };
}

/**
 * Writes a state file in one step: a reader, or a process that is killed, never leaves a part of it.
 * @throws the system's error where it cannot be written.
 */
export function writeState({ path: file, scope }: StateFile, entries: Entries): void {
  const fresh = freshFile(file);
  mkdirSync(path.dirname(file), { recursive: true });
  try {
    // One that a killed process left behind.
    rmSync(fresh, { force: true });
    writeFileSync(fresh, encodeState(scope, entries), { flag: 'wx', mode: 0o600 });
    renameSync(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** The plan with the state file left out, which is no part of a build. */
export function leaveOutState(plan: Plan, { path: file }: StateFile): Plan {
  const own = [file, freshFile(file)].map(realPathOf);
  const isOwn = ({ realPath }: PlannedFile) => own.includes(realPath);
  const leftOut = plan.files.filter(isOwn).map(({ source }) => ({ path: source, reason: 'the state file' }));
  if (leftOut.length === 0) return plan;
  return {
    ...plan,
    files: plan.files.filter(each => !isOwn(each)),
    leftOut: [...plan.leftOut, ...leftOut],
  };
}

/** An error that names what keeps the state file from being read or written. */
export function stateFileError(file: string, error: unknown, verb: 'read' | 'written'): unknown {
  const code = systemCode(error);
  return code === undefined ? error : refusal(file, `cannot be ${verb} (${code})`);
}

function refusal(file: string, why: string): InputError {
  const message = `${quote(file)} ${why}. Name a file that this step may write.`;
  return new InputError([{ input: 'state-file', message, example: EXAMPLE }]);
}

function contentOf(file: string): { text: string } | { refused: string } | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, READ_FLAGS);
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw refusal(file, 'is not a regular file');
    if (stat.size > MAX_BYTES) return { refused: `is longer than ${MAX_BYTES / 1024 ** 2} MiB` };
    return { text: readFileSync(descriptor, 'utf8') };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw stateFileError(file, error, 'read');
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
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
