import type { Redact } from './escape.ts';

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Returns undefined, which JSON cannot express, if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}

export function parseFields(text: string): Readonly<Record<string, unknown>> {
  return fieldsOf(parseJson(text));
}

export function stringFieldsOf(value: unknown): Readonly<Record<string, string>> {
  const fields = Object.entries(fieldsOf(value));
  return Object.fromEntries(fields.map(([name, field]) => [name, String(field)]));
}

/** Redacts strings and keys, but no numbers that look like secrets. Returns '' if it is not JSON. */
export function redactJson(text: string, redact: Redact): string {
  if (!isJson(text)) return '';
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, literal =>
    JSON.stringify(redact(String(JSON.parse(literal)))),
  );
}
