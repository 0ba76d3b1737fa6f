// Node 24 has these parts of JSON, TypeScript's libraries do not describe them yet.
declare global {
  interface JSON {
    /** A number that `stringify` writes with the very digits of `text`. */
    rawJSON(text: string): unknown;
    isRawJSON(value: unknown): boolean;
    /** With the reviver's third argument: `source` is a number's text. */
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  }
}

/** Writes a JSON text anew, strings, names and digits changed. @throws SyntaxError, or RangeError. */
export function changeStrings(text: string, change: (string: string) => string): string {
  const parsed: unknown = JSON.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    return change(source) === source ? JSON.rawJSON(source) : change(source);
  });
  return JSON.stringify(parsed, (_key, value: unknown) => {
    if (typeof value === 'string') return change(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value) || JSON.isRawJSON(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [change(name), item]));
  });
}

/** Parses a JSON text; whole numbers come as bigint, exact whatever their size. @throws SyntaxError, or RangeError. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value,
  );
}

/** JSON text of a value in which bigint stands for whole numbers. */
export function stringifyExactly(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? JSON.rawJSON(String(item)) : item));
}

/** The fields of a value, none where it is no object: for what has yet to be checked. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The fields of a JSON text, none where it is not the text of an object. */
export function parseFieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The fields of an object as text; none where it is no object. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fieldsOf(value)).map(([name, field]) => [name, String(field)]));
}
