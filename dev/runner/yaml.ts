import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

export type Mapping = Readonly<Record<string, unknown>>;

export async function readYaml(file: string): Promise<Mapping> {
  return mapping(parse(await readFile(file, 'utf8')));
}

/** A value as a mapping; empty if it is none. */
export function mapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A scalar as the runner passes it: as written, or '' if there is none. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === undefined || value === null) return '';
  throw new TypeError(`There is ${JSON.stringify(value)} where text was expected`);
}
