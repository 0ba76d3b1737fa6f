export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
