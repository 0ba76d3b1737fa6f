// Node has these parts of JSON; TypeScript's libraries do not describe them yet.
declare global {
  interface JSON {
    /** A number that `stringify` writes with the very digits of `text`. */
    rawJSON(text: string): unknown;
    isRawJSON(value: unknown): value is { readonly rawJSON: string };
    /** The reviver's third argument holds a number's text as `source`. */
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

/**
 * Parses JSON, and changes its strings, names and digits. Numbers keep their digits.
 * @throws SyntaxError, or RangeError if it is nested too deeply
 */
export function parseWithDigits(text: string, change: (string: string) => string): unknown {
  return JSON.parse(text, (_key, value, { source }) => {
    if (typeof value === 'string') return change(value);
    if (typeof value === 'number' && source !== undefined) {
      const changed = change(source);
      return changed === source ? JSON.rawJSON(source) : changed;
    }
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [change(name), item]));
  });
}

/** The digits of a number from `parseWithDigits`; undefined for any other value. */
export function digitsOf(value: unknown): string | undefined {
  return JSON.isRawJSON(value) ? value.rawJSON : undefined;
}

/** The fields of a value that has yet to be checked; none if it is not an object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The fields of a JSON text; none if it is not the text of an object. */
export function parseFieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The fields of an object as text; none if it is not an object. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fieldsOf(value)).map(([name, field]) => [name, String(field)]),
  );
}
