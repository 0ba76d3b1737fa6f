import { accessSync, constants } from 'node:fs';
import { getInput, setSecret } from '@actions/core';
import { proxyCredentials } from '../agent/proxy.ts';
import { isMissing } from '../inputs/credentials.ts';
import type { RawInputs } from '../inputs/fields.ts';
import { secretsInHeaders, splitHeader } from '../inputs/headers.ts';
import { inputError, type Problem } from '../inputs/input-error.ts';
import { type Entry, inputNames, SECRET_INPUTS } from '../inputs/inputs.ts';
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

/** The names of all inputs that the workflow sets, also those the runner only warns about. */
export function givenInputs(): string[] {
  return Object.keys(process.env).flatMap(
    name => /^INPUT_(.+)$/.exec(name)?.[1]?.toLowerCase() ?? [],
  );
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

/** @throws InputError if a post step or later steps cannot be told of what is started */
export function requireFileCommands(started: string, names: readonly string[]): void {
  // Without the files, @actions/core prints commands, which the runner ignores.
  const missing = names.find(name => !process.env[name]);
  if (missing !== undefined) throw inputError(started, `cannot start: ${missing} is not set.`);
}
