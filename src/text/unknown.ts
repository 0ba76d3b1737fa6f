/** Returns the fields of a value that has yet to be checked; none if it is not an object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Returns the fields of a JSON text; none if it is not the text of an object. */
export function parseFields(text: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Returns the fields of an object as text; none if it is not an object. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  const fields = Object.entries(fieldsOf(value));
  return Object.fromEntries(fields.map(([name, field]) => [name, String(field)]));
}

/** Returns the code of a system error, such as `ENOENT`; undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns what an error says. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
