import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

export type Mapping = Readonly<Record<string, unknown>>;

export async function readYaml(file: string): Promise<Mapping> {
  return mapping(parse(await readFile(file, 'utf8')));
}

/** Returns a copy of a mapping, or {} for scalars and null. */
export function mapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Converts a scalar to text as the runner does, null to ''. @throws TypeError otherwise */
export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === undefined || value === null) return '';
  throw new TypeError(`There is ${JSON.stringify(value)} where text was expected`);
}
