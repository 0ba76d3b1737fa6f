import type { Redact } from './escape.ts';

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Returns undefined, which JSON cannot express, if the text is not JSON, or nested too deeply. */
export function parseJson(
  text: string,
  revive?: (key: string, value: unknown) => unknown,
): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}

export function parseFields(text: string): Readonly<Record<string, unknown>> {
  return fieldsOf(parseJson(text));
}

export function stringFieldsOf(value: unknown): Readonly<Record<string, string>> {
  const fields = Object.entries(fieldsOf(value));
  return Object.fromEntries(fields.map(([name, field]) => [name, String(field)]));
}

/** Like `parseJson`, but redacts strings and keys, not numbers that look like secrets. */
export function parseRedacted(text: string, redact: Redact): unknown {
  return parseJson(text, (_, value) => {
    if (typeof value === 'string') return redact(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [redact(name), field]));
  });
}
