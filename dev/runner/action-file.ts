import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';

export type ActionFile = Awaited<ReturnType<typeof readActionFile>>;

/** Reads the parts of an action.yml that the runner and the documents need. */
export async function readActionFile(folder: string) {
  const { inputs, outputs, runs } = await readYaml(path.join(folder, 'action.yml'));
  const { using, main, post } = mapping(runs);
  return {
    inputs: Object.entries(mapping(inputs)).map(([name, value]) => {
      const input = mapping(value);
      return {
        name,
        description: text(input['description']),
        required: input['required'] === true,
        default: 'default' in input ? text(input['default']) : undefined,
      };
    }),
    outputs: Object.entries(mapping(outputs)).map(([name, output]) => ({
      name,
      description: text(mapping(output)['description']),
    })),
    using: text(using),
    /** Like `post`, relative to the folder of action.yml. */
    main: text(main),
    post: post === undefined ? undefined : text(post),
  };
}

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
