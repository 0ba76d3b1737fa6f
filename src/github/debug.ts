import { debug, isDebug } from '@actions/core';
import type { RawInputs } from '../inputs/parse.ts';
import { redactor } from '../text/redact.ts';
import { harmless, visibleCut } from '../text/visible.ts';
import { decoded, proxyUrls, secretsIn } from './runner.ts';

/** Writes lines that the runner shows where step debugging is on; undefined where it is off, so that none is built. */
export type DebugLog = ((...lines: readonly string[]) => void) | undefined;

/** The debug log of a step. People paste it into bug reports: whatever may be secret in the raw inputs is taken out. */
export function openDebugLog(raw: RawInputs): DebugLog {
  if (!isDebug()) return undefined;
  const redact = redactor([...secretsIn(raw), ...headerValues(raw), ...proxyCredentials()]);
  return (...lines) => {
    for (const line of lines) debug(harmless(visibleCut(redact(line), MAX_LINE)));
  };
}

const MAX_LINE = 2000;

// A shorter value is no secret worth the name, and would blot out all that happens to look like it.
const MIN_HEADER_VALUE = 8;

function headerValues({ headers = '' }: RawInputs): string[] {
  const values = headers.split('\n').map(line => line.slice(line.indexOf(':') + 1).trim());
  return values.filter(value => value.length >= MIN_HEADER_VALUE);
}

function proxyCredentials(): string[] {
  return proxyUrls()
    .filter(({ password }) => password !== '')
    .flatMap(({ username, password }) => [password, `${username}:${password}`])
    .flatMap(part => [part, decoded(part)]);
}
