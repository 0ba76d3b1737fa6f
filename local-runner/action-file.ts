import path from 'node:path';
import { type Mapping, mapping, readYaml, text } from './yaml.ts';

/** One input or output as action.yml describes it. */
export interface Described {
  readonly name: string;
  readonly description: string;
}

export interface DescribedInput extends Described {
  readonly required: boolean;
  /** Undefined where there is none. */
  readonly default: string | undefined;
}

/** What the runner and the documents need of an action.yml. */
export interface ActionFile {
  readonly inputs: readonly DescribedInput[];
  readonly outputs: readonly Described[];
  /** The inputs' default values by name, as the runner fills them in. */
  readonly defaults: Readonly<Record<string, string>>;
  /** The main script, relative to the folder of action.yml. */
  readonly main: string;
  /** The script of the post step, likewise; undefined where there is none. */
  readonly post: string | undefined;
  /** The runtime, such as `node24`. */
  readonly using: string;
}

/** Reads the action.yml in a folder. */
export async function readActionFile(folder: string): Promise<ActionFile> {
  const document = await readYaml(path.join(folder, 'action.yml'));
  const inputs = Object.entries(mapping(document['inputs'])).map(([name, entry]) => toInput(name, mapping(entry)));
  const outputs = Object.entries(mapping(document['outputs']));
  const runs = mapping(document['runs']);
  return {
    inputs,
    outputs: outputs.map(([name, entry]) => ({ name, description: text(mapping(entry)['description']) })),
    defaults: Object.fromEntries(
      inputs.flatMap(input => (input.default === undefined ? [] : [[input.name, input.default]])),
    ),
    main: text(runs['main']),
    post: runs['post'] === undefined ? undefined : text(runs['post']),
    using: text(runs['using']),
  };
}

function toInput(name: string, entry: Mapping): DescribedInput {
  const fallback = entry['default'];
  return {
    name,
    description: text(entry['description']),
    required: entry['required'] === true,
    default: fallback === undefined ? undefined : text(fallback),
  };
}
