import { getInput, setSecret } from '@actions/core';
import type { RawInputs } from '../inputs/parse.ts';

const SECRET_INPUTS: readonly string[] = ['token', 'signature'];

/** The inputs of the step by name, secrets masked. */
export function readInputs(names: readonly string[]): RawInputs {
  // As soon as they are read, before anything can be logged.
  for (const name of SECRET_INPUTS) mask(getInput(name));
  for (const { password } of proxyUrls()) for (const form of [password, decoded(password)]) mask(form);
  return Object.fromEntries(names.map(name => [name, getInput(name, { trimWhitespace: false })]));
}

/** The values of the inputs that are secrets. */
export function secretsIn(raw: RawInputs): string[] {
  return SECRET_INPUTS.map(name => (raw[name] ?? '').trim());
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

/** A part of a URL without its percent-encoding, where that can be undone. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The proxies that the environment names, as far as they are URLs. */
export function proxyUrls(): URL[] {
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'];
  return names.flatMap(name => URL.parse(process.env[name] ?? '') ?? []);
}

function mask(secret: string): void {
  if (secret !== '') setSecret(secret);
}
