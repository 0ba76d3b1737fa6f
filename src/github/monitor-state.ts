import { readdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getState, saveState, setOutput } from '@actions/core';
import type { RawInputs } from '../inputs/fields.ts';
import { inputNames } from '../inputs/inputs.ts';
import { keepInputs } from '../monitor/directory.ts';
import { parseFieldsOf, textsOf } from '../text/json.ts';
import { requireFileCommands } from './runner.ts';

const DIRECTORY = 'directory';
const KEPT = 'inputs';
const MONITOR_PREFIX = 'sandbox-sync-monitor-';

/**
 * Makes a monitor's directory, and passes it and the inputs to the post step: in composite actions,
 * the runner may give that step the inputs of an outer one. @throws InputError
 */
export async function newMonitorDirectory(raw: RawInputs): Promise<string> {
  requireFileCommands('monitor', ['GITHUB_STATE']);
  const directory = await mkdtemp(path.join(tempDirectory(), MONITOR_PREFIX));
  const kept = Object.fromEntries(inputNames('monitor-end').map(name => [name, raw[name] ?? '']));
  saveState(DIRECTORY, directory);
  saveState(KEPT, kept);
  // Another action cannot see the state.
  keepInputs(directory, kept);
  if (process.env['GITHUB_OUTPUT']) setOutput('monitor', path.basename(directory));
  return directory;
}

/** The directories of the monitors that this job has started. */
export function findMonitors(): string[] {
  return readdirSync(tempDirectory())
    .filter(name => name.startsWith(MONITOR_PREFIX))
    .map(name => path.join(tempDirectory(), name));
}

/** The inputs that the main step kept; none if they are lost. */
export function keptInputs(): RawInputs {
  return textsOf(parseFieldsOf(getState(KEPT)));
}

/** The directory that the main step made for its monitor, and whether it really is one. */
export function monitorDirectory():
  | { readonly directory: string; readonly isOwn: boolean }
  | undefined {
  const state = getState(DIRECTORY);
  if (state === '') return undefined;
  const directory = path.resolve(state);
  const isInTemp = path.dirname(directory) === tempDirectory();
  const isOwn = isInTemp && path.basename(directory).startsWith(MONITOR_PREFIX);
  return { directory, isOwn };
}

function tempDirectory(): string {
  return path.resolve(process.env['RUNNER_TEMP'] || tmpdir());
}
