import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getInput, getState, saveState, setSecret } from '@actions/core';
import { proxyCredentials } from '../agent/proxy.ts';
import { nearest } from '../gate/metrics.ts';
import { isMissing, secretsInHeaders, splitHeader } from '../inputs/headers.ts';
import { InputError, inputError, type RawInputs } from '../inputs/parse.ts';
import { type Entry, inputNames, SECRET_INPUTS } from '../inputs/table.ts';
import { parseFieldsOf, textsOf } from '../text/exact-json.ts';

/** The inputs of the step by name, secrets masked. */
export function readInputs(entry: Entry): RawInputs {
  // As soon as they are read, before anything can be logged.
  const raw = Object.fromEntries(inputNames(entry).map(name => [name, getInput(name, { trimWhitespace: false })]));
  for (const secret of [...secretsIn(raw), ...proxyCredentials(process.env)]) if (secret !== '') setSecret(secret);
  return raw;
}

/** The values in the inputs that are secrets. */
export function secretsIn(raw: RawInputs): string[] {
  const lines = (raw['headers'] ?? '').split(/\r?\n/).map(line => splitHeader(line.trim()));
  const inputs = SECRET_INPUTS.map(name => (raw[name] ?? '').trim());
  const secrets = [...inputs, ...secretsInHeaders(lines.filter(header => header !== undefined))];
  return secrets.filter(value => !isMissing(value));
}

/** Refuses inputs that the action does not have, and whose names are close to those it has: a gate could be meant. @throws InputError */
export function refuseSlips(entry: Entry): void {
  const known = inputNames(entry);
  const given = Object.keys(process.env).flatMap(name => /^INPUT_(.+)$/.exec(name)?.[1]?.toLowerCase() ?? []);
  const slips = given.flatMap(name => {
    const meant = known.includes(name) ? undefined : nearest(name, known, 0.5);
    return meant === undefined ? [] : [{ input: name, message: `is not an input. Did you mean ${meant}?` }];
  });
  if (slips.length > 0) throw new InputError(slips);
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
const KEPT = 'inputs';
const MONITOR_PREFIX = 'sandbox-sync-monitor-';

/**
 * Makes a directory for a monitor, which the job's post step is told of, with what it needs of the inputs: in composite
 * actions the runner may hand it those of an outer one. @throws InputError where it cannot be told.
 */
export async function newMonitorDirectory(raw: RawInputs): Promise<string> {
  // Without the file, @actions/core would print a command, which the runner no longer takes: nobody would end the monitor.
  if (!process.env['GITHUB_STATE']) throw inputError('monitor', 'cannot start: GITHUB_STATE is not set.');
  // Only this user may enter a directory that mkdtemp makes.
  const directory = await mkdtemp(path.join(temporary(), MONITOR_PREFIX));
  saveState(DIRECTORY, directory);
  saveState(KEPT, Object.fromEntries(inputNames('monitor-end').map(name => [name, raw[name] ?? ''])));
  return directory;
}

/** What the main step kept of its inputs; nothing where that is lost. */
export function keptInputs(): RawInputs {
  return textsOf(parseFieldsOf(getState(KEPT)));
}

/** The directory of the monitor that the main step started, if it came to that, and whether it is one of a monitor's. */
export function monitorDirectory(): { readonly directory: string; readonly isOwn: boolean } | undefined {
  const state = getState(DIRECTORY);
  if (state === '') return undefined;
  const directory = path.resolve(state);
  const isOwn = path.dirname(directory) === temporary() && path.basename(directory).startsWith(MONITOR_PREFIX);
  return { directory, isOwn };
}

function temporary(): string {
  return path.resolve(process.env['RUNNER_TEMP'] || tmpdir());
}
