import { getInput, getState, saveState, setSecret } from '@actions/core';
import type { RawInputs } from '../inputs/parse.ts';
import { inputNames, SECRET_INPUTS, type Task } from '../inputs/table.ts';

/** The inputs of the step by name, secrets masked. */
export function readInputs(task: Task): RawInputs {
  // As soon as they are read, before anything can be logged.
  for (const name of SECRET_INPUTS) mask(getInput(name));
  for (const credential of proxyCredentials()) mask(credential);
  return Object.fromEntries(inputNames(task).map(name => [name, getInput(name, { trimWhitespace: false })]));
}

/** The values of the inputs that are secrets. */
export function secretsIn(raw: RawInputs): string[] {
  return SECRET_INPUTS.map(name => (raw[name] ?? '').trim());
}

/** The passwords of the proxies that the environment names, as they are and decoded. */
export function proxyCredentials(): string[] {
  return ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']
    .flatMap(name => URL.parse(process.env[name] ?? '') ?? [])
    .flatMap(({ password }) => [password, decoded(password)]);
}

/** The directory that holds the checkout. */
export function workspace(): string {
  return process.env['GITHUB_WORKSPACE'] || process.cwd();
}

/** A signal that aborts when the runner cancels the job: SIGINT, and SIGTERM some seconds later. */
export function cancelSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}

const DIRECTORY = 'directory';

/** Leaves the directory of a monitor to the job's post step. */
export function keepMonitorDirectory(directory: string): void {
  saveState(DIRECTORY, directory);
}

/** The directory of the monitor that this job's main step started; undefined where it did not come to that. */
export function monitorDirectory(): string | undefined {
  return getState(DIRECTORY) || undefined;
}

/** A part of a URL without its percent-encoding, where that can be undone. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function mask(secret: string): void {
  if (secret !== '') setSecret(secret);
}
