import path from 'node:path';
import { type Mapping, mapping, readYaml, text } from './yaml.ts';

/** What the runner and the documents need of an action.yml. */
export interface ActionFile {
  readonly inputs: readonly DescribedInput[];
  readonly outputs: readonly Described[];
  /** The runtime, such as `node24`. */
  readonly using: string;
  /** The main script, relative to the folder of action.yml. */
  readonly main: string;
  readonly post: string | undefined;
}

export interface Described {
  readonly name: string;
  readonly description: string;
}

export interface DescribedInput extends Described {
  readonly required: boolean;
  readonly default: string | undefined;
}

/** Reads the action.yml in a folder. */
export async function readActionFile(folder: string): Promise<ActionFile> {
  const { inputs, outputs, runs } = await readYaml(path.join(folder, 'action.yml'));
  const { using, main, post } = mapping(runs);
  return {
    inputs: described(inputs).map(({ name, description, entry }) => ({
      name,
      description,
      required: entry['required'] === true,
      default: optionalText(entry['default']),
    })),
    outputs: described(outputs).map(({ name, description }) => ({ name, description })),
    using: text(using),
    main: text(main),
    post: optionalText(post),
  };
}

function described(entries: unknown): (Described & { readonly entry: Mapping })[] {
  return Object.entries(mapping(entries)).map(([name, value]) => {
    const entry = mapping(value);
    return { name, description: text(entry['description']), entry };
  });
}

function optionalText(value: unknown): string | undefined {
  return value === undefined ? undefined : text(value);
}
