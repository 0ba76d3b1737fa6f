import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RawInputs } from '../inputs/fields.ts';
import { inputError } from '../inputs/input-error.ts';
import { parseFieldsOf, textsOf } from '../text/json.ts';
import { systemCode } from '../text/system-error.ts';
import { readForeign } from './foreign-file.ts';

/** The paths of the files in a monitor's directory. */
export function filesIn(directory: string) {
  return {
    record: path.join(directory, 'record.jsonl'),
    last: path.join(directory, 'last.json'),
    crash: path.join(directory, 'crash.txt'),
    endRequest: path.join(directory, 'end'),
    ended: path.join(directory, 'ended'),
    inputs: path.join(directory, 'inputs.json'),
    stopped: path.join(directory, 'stopped'),
  };
}

const MAX_INPUTS_BYTES = 1024 * 1024;

/** Keeps what the end of a monitor needs, for a step that stops it. */
export function keepInputs(directory: string, inputs: RawInputs): void {
  writeFileSync(filesIn(directory).inputs, JSON.stringify(inputs), { mode: 0o600, flag: 'wx' });
}

/** What was kept; nothing if it is lost. */
export async function readKeptInputs(directory: string): Promise<RawInputs> {
  const { text } = await readForeign(filesIn(directory).inputs, MAX_INPUTS_BYTES);
  return textsOf(parseFieldsOf(text));
}

/** @throws InputError if the inputs that a monitor was started with are lost */
export function requireInputs(kept: RawInputs): void {
  if (kept['fail-if'] === undefined) throw inputError('monitor', 'its saved inputs are lost.');
}

/** Notes that a step has judged the monitor, so that its post step has nothing left to do. */
export function markStopped(directory: string): void {
  writeMark(filesIn(directory).stopped);
}

export function isStopped(directory: string): boolean {
  return existsSync(filesIn(directory).stopped);
}

/** Asks the monitor in a directory to end. */
export function requestEnd(directory: string): void {
  writeMark(filesIn(directory).endRequest);
}

function writeMark(file: string): void {
  try {
    // Fails instead of following a link or waiting for the reader of a pipe.
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

export function isEndRequested(directory: string): boolean {
  return existsSync(filesIn(directory).endRequest);
}

/** Whether nothing more will be recorded. */
export function hasEnded(directory: string): boolean {
  return existsSync(filesIn(directory).ended) || !existsSync(directory);
}

/** Removes a monitor's directory as far as possible. A monitor that still runs then ends. */
export function removeDirectory(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  } catch (error) {
    // A later step may have put something there that this user may not remove.
    if (systemCode(error) === undefined) throw error;
  }
}
