import type { Redact } from '../text/redact.ts';
import type { Report } from './report.ts';

/**
 * Redacts what users typed, such as a token in the wrong input or in the name of a file. Leaves the
 * samples alone: they are already redacted, and a figure may have the digits of a secret.
 */
export function redactReport({ measured, ...others }: Report, redact: Redact): Report {
  const copy = structuredClone(others);
  redactStrings(copy, redact);
  return { ...copy, ...(measured !== undefined && { measured }) };
}

// Our own words, on which the verdict depends, and digests. A short token could be a part of them.
const UNREDACTED = ['task', 'status', 'kind', 'digest', 'sha256'];

function redactStrings(value: object, redact: Redact): void {
  const fields: [string, unknown][] = Object.entries(value);
  for (const [name, field] of fields) {
    if (UNREDACTED.includes(name)) continue;
    if (typeof field === 'string') Reflect.set(value, name, redact(field));
    else if (typeof field === 'object' && field !== null) redactStrings(field, redact);
  }
}
