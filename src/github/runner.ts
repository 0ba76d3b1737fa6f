import { setTimeout as delay } from 'node:timers/promises';
import { getInput, setSecret } from '@actions/core';
import type { RawInputs } from '../inputs/parse.ts';

// Masked as soon as they are read, before anything can be logged.
const SECRET_INPUTS: readonly string[] = ['token', 'signature'];

/** The inputs of the step by name, secrets masked. */
export function readInputs(names: readonly string[]): RawInputs {
  for (const name of SECRET_INPUTS) mask(getInput(name));
  for (const proxy of proxyUrls()) mask(proxy.password);
  return Object.fromEntries(names.map(name => [name, getInput(name, { trimWhitespace: false })]));
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

/** Waits, unless `stop` aborts first: then it rejects. */
export async function sleep(ms: number, stop: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: stop });
}

function mask(secret: string): void {
  if (secret === '') return;
  setSecret(secret);
  // In a URL the same secret is spelt differently.
  const decoded = decodeURIComponent(secret.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  if (decoded !== secret) setSecret(decoded);
}

function proxyUrls(): URL[] {
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'];
  return names.flatMap(name => URL.parse(process.env[name] ?? '') ?? []);
}
