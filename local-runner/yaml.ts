import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

/** A mapping of a YAML document. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Reads a YAML document that is a mapping. */
export async function readYaml(file: string): Promise<Mapping> {
  return mapping(parse(await readFile(file, 'utf8')));
}

/** A value as a mapping; empty where it is none. */
export function mapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A value that must be text. */
export function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`There is ${JSON.stringify(value)} where text was expected`);
}
