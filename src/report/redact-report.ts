import type { Redact } from '../text/redact.ts';
import type { Report } from './report.ts';

/**
 * Redacts what users typed, such as a token in the wrong input or in a file name. Skips the
 * samples: they are already redacted, and a figure may happen to contain the digits of a secret.
 */
export function redactReport({ measured, ...others }: Report, redact: Redact): Report {
  const copy = structuredClone(others);
  redactStrings(copy, redact);
  return { ...copy, ...(measured !== undefined && { measured }) };
}

// Digests, and fixed words that the verdict depends on: redacting a short token could change them.
const UNREDACTED = ['task', 'status', 'kind', 'digest', 'sha256'];

function redactStrings(value: object, redact: Redact): void {
  const fields: [string, unknown][] = Object.entries(value);
  for (const [name, field] of fields) {
    if (UNREDACTED.includes(name)) continue;
    if (typeof field === 'string') Reflect.set(value, name, redact(field));
    else if (typeof field === 'object' && field !== null) redactStrings(field, redact);
  }
}
