import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getInput, getState, saveState, setSecret } from '@actions/core';
import { proxyCredentials } from '../agent/proxy.ts';
import { inputError, type RawInputs } from '../inputs/parse.ts';
import { inputNames, SECRET_INPUTS, type Task } from '../inputs/table.ts';

/** The inputs of the step by name, secrets masked. */
export function readInputs(task: Task): RawInputs {
  // As soon as they are read, before anything can be logged.
  for (const name of SECRET_INPUTS) mask(getInput(name));
  for (const credential of proxyCredentials(process.env)) mask(credential);
  return Object.fromEntries(inputNames(task).map(name => [name, getInput(name, { trimWhitespace: false })]));
}

/** The values of the inputs that are secrets. */
export function secretsIn(raw: RawInputs): string[] {
  return SECRET_INPUTS.map(name => (raw[name] ?? '').trim());
}

/** The directory that holds the checkout. */
export function workspace(): string {
  return process.env['GITHUB_WORKSPACE'] || process.cwd();
}

/** What a run with a state file is to be warned of: its cache may keep nothing. */
export function cacheWarnings(): string[] {
  const mode = process.env['ACTIONS_CACHE_MODE'] ?? '';
  if (mode !== 'read' && mode !== 'none') return [];
  const kept = `Caches of this run are not saved (ACTIONS_CACHE_MODE: ${mode}).`;
  return [
    `${kept} If one carries the state file, the next run starts from an older state, which does not know what was sent now.`,
  ];
}

/** A signal that aborts when the runner cancels the job: SIGINT, and SIGTERM some seconds later. */
export function cancelSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}

const DIRECTORY = 'directory';
const MONITOR_PREFIX = 'sandbox-sync-monitor-';

/** Makes a directory for a monitor, which the job's post step is told of. @throws InputError where it cannot be told. */
export async function newMonitorDirectory(): Promise<string> {
  // Without the file, @actions/core would print a command, which the runner no longer takes: nobody would end the monitor.
  if (!process.env['GITHUB_STATE']) throw inputError('monitor', 'cannot start: GITHUB_STATE is not set.');
  // Only this user may enter a directory that mkdtemp makes.
  const directory = await mkdtemp(path.join(temporary(), MONITOR_PREFIX));
  saveState(DIRECTORY, directory);
  return directory;
}

/** The directory of the monitor that the main step started, if it came to that. @throws Error where it is no monitor's. */
export function monitorDirectory(): string | undefined {
  const state = getState(DIRECTORY);
  if (state === '') return undefined;
  const directory = path.resolve(state);
  const isOwn = path.dirname(directory) === temporary() && path.basename(directory).startsWith(MONITOR_PREFIX);
  // What is no monitor's is not removed.
  if (!isOwn) throw new Error(`${state} is no directory of a monitor below RUNNER_TEMP`);
  return directory;
}

function temporary(): string {
  return path.resolve(process.env['RUNNER_TEMP'] || tmpdir());
}

function mask(secret: string): void {
  if (secret !== '') setSecret(secret);
}
