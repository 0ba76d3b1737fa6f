import { accessSync, constants, readdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getInput, getState, saveState, setOutput, setSecret } from '@actions/core';
import { proxyCredentials } from '../agent/proxy.ts';
import { isMissing } from '../inputs/credentials.ts';
import type { RawInputs } from '../inputs/fields.ts';
import { secretsInHeaders, splitHeader } from '../inputs/headers.ts';
import { inputError, type Problem } from '../inputs/input-error.ts';
import { type Entry, inputNames, SECRET_INPUTS } from '../inputs/inputs.ts';
import { keepInputs } from '../monitor/directory.ts';
import { parseFieldsOf, textsOf } from '../text/json.ts';
import { closestWord } from '../text/nearest.ts';
import { isMaskable, redactor } from '../text/redact.ts';
import { quote } from '../text/visible.ts';

/** Reads the inputs of the step, and masks its secrets in the log. */
export function readInputs(entry: Entry): RawInputs {
  const raw = Object.fromEntries(
    inputNames(entry).map(name => [name, getInput(name, { trimWhitespace: false })]),
  );
  // At once, before anything can be logged.
  for (const secret of secretsOf(raw)) setSecret(secret);
  return raw;
}

/** What must never be shown: the secrets in the inputs, and those of proxies. */
export function secretsOf(raw: RawInputs): string[] {
  return [...secretsIn(raw), ...proxyCredentials(process.env)];
}

function secretsIn(raw: RawInputs): string[] {
  const lines = (raw['headers'] ?? '').split(/\r?\n/).map(line => splitHeader(line.trim()));
  const inputs = SECRET_INPUTS.map(name => (raw[name] ?? '').trim());
  const secrets = [...inputs, ...secretsInHeaders(lines.filter(header => header !== undefined))];
  return secrets.filter(value => !isMissing(value));
}

/** The values of all headers: any may be secret, so the debug log does not show them. */
export function headerValuesIn({ headers = '' }: RawInputs): string[] {
  const values = headers.split('\n').map(line => line.slice(line.indexOf(':') + 1).trim());
  return values.filter(isMaskable);
}

/** The inputs that contain a secret of another input, and would show it. */
export function strayInputs(raw: RawInputs): Problem[] {
  const redact = redactor(secretsIn(raw).filter(isMaskable));
  const message = 'contains the token or another secret, which belongs only in its own input.';
  return Object.entries(raw)
    .filter(([name]) => name !== 'headers' && !SECRET_INPUTS.includes(name))
    .filter(([, value]) => redact(value) !== value)
    .map(([input]) => ({ input, message }));
}

const EXCLUDE = 'is not an input: write !**/*.map in files.';
const USE_FILES = 'is not an input: use files.';
const USE_TARGET = 'is not an input: use target.';
const USE_FAIL_IF = 'is not an input: use fail-if.';

// Names of inputs in other actions.
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['exclude', EXCLUDE],
  ['ignore', EXCLUDE],
  ['path', USE_FILES],
  ['source', USE_FILES],
  ['dest', USE_TARGET],
  ['destination', USE_TARGET],
  ['target-dir', USE_TARGET],
  ['remote-path', USE_TARGET],
  ['include', USE_FILES],
  ['pattern', USE_FILES],
  ['patterns', USE_FILES],
]);

const OTHER_GATES: ReadonlyMap<string, string> = new Map([
  ['fail-on', USE_FAIL_IF],
  ['fail-when', USE_FAIL_IF],
  ['threshold', USE_FAIL_IF],
]);

const NO_GATE_HERE = 'is not an input of this action. Use it in a step of the action stats.';
const NO_GATES: ReadonlyMap<string, string> = new Map([
  ['fail-if', NO_GATE_HERE],
  ['warn-if', NO_GATE_HERE],
]);

/** Misspelled inputs: the runner only warns of them, and one could be a gate. */
export function misnamedInputs(entry: Entry): Problem[] {
  const known = inputNames(entry);
  const others = new Map([
    ...(known.includes('files') ? OTHER_NAMES : []),
    ...(known.includes('fail-if') ? OTHER_GATES : NO_GATES),
  ]);
  return Object.keys(process.env)
    .flatMap(name => /^INPUT_(.+)$/.exec(name)?.[1]?.toLowerCase() ?? [])
    .filter(name => !known.includes(name))
    .flatMap(input => {
      const message = others.get(input);
      if (message !== undefined) return [{ input, message }];
      const meant = closestWord(input, known, 0.5);
      if (meant === undefined) return [];
      return [{ input, message: `is not an input. Did you mean ${meant}?` }];
    });
}

/** The directory of the checkout. */
export function workspace(): string {
  return process.env['GITHUB_WORKSPACE'] || process.cwd();
}

/** Warnings about variables that make connections unsafe, or will make them fail. */
export function environmentWarnings(): string[] {
  const { NODE_TLS_REJECT_UNAUTHORIZED: check, NODE_EXTRA_CA_CERTS: certificates } = process.env;
  const warnings: string[] = [];
  if (check === '0')
    warnings.push(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates, so anyone on the way can read the token. Remove it; for a private CA, set NODE_EXTRA_CA_CERTS to its file.',
    );
  if (certificates && !isReadable(certificates))
    warnings.push(`NODE_EXTRA_CA_CERTS is set to ${quote(certificates)}, which cannot be read.`);
  return warnings;
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** Warnings for a run that writes a state file, which its cache may not save. */
export function cacheWarnings(): string[] {
  const mode = process.env['ACTIONS_CACHE_MODE'] ?? '';
  if (mode !== 'read' && mode !== 'none') return [];
  const unsaved = `Caches of this run are not saved (ACTIONS_CACHE_MODE: ${mode}).`;
  return [
    `${unsaved} If one carries the state file, the next run starts from an older state, which does not know what was sent now.`,
  ];
}

/** A signal that aborts when the runner cancels the job: SIGINT, and SIGTERM some seconds later. */
export function cancelSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}

// After SIGINT, the runner sends SIGTERM in 7.5 s, and kills the process 2.5 s later.
const GRACE_MS = { SIGINT: 9000, SIGTERM: 2000 } as const;

/** A signal that aborts just before the runner kills the process of a cancelled job. */
export function lastCallSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => setTimeout(() => controller.abort(), GRACE_MS[signal]).unref());
  return controller.signal;
}

const DIRECTORY = 'directory';
const KEPT = 'inputs';
const MONITOR_PREFIX = 'sandbox-sync-monitor-';

/**
 * Makes a monitor's directory, and passes it and the inputs to the post step: in composite actions,
 * the runner may give that step the inputs of an outer one. @throws InputError
 */
export async function newMonitorDirectory(raw: RawInputs): Promise<string> {
  // Without the file, @actions/core prints a command that the runner ignores.
  if (!process.env['GITHUB_STATE'])
    throw inputError('monitor', 'cannot start: GITHUB_STATE is not set.');
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
