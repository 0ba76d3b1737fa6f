import path from 'node:path';
import { type Mapping, mapping, readYaml, text } from './yaml.ts';

/** What the runner and the documents need of an action.yml. */
export type ActionFile = Awaited<ReturnType<typeof readActionFile>>;

/** Reads the action.yml in a folder. */
export async function readActionFile(folder: string) {
  const { inputs, outputs, runs } = await readYaml(path.join(folder, 'action.yml'));
  const { using, main, post } = mapping(runs);
  return {
    inputs: described(inputs).map(({ entry, ...input }) => ({
      ...input,
      required: entry['required'] === true,
      default: optionalText(entry['default']),
    })),
    outputs: described(outputs).map(({ name, description }) => ({ name, description })),
    /** The runtime, such as `node24`. */
    using: text(using),
    /** The main script, relative to the folder of action.yml. */
    main: text(main),
    post: optionalText(post),
  };
}

function described(entries: unknown) {
  return Object.entries(mapping(entries)).map(([name, value]) => {
    const entry: Mapping = mapping(value);
    return { name, description: text(entry['description']), entry };
  });
}

function optionalText(value: unknown): string | undefined {
  return value === undefined ? undefined : text(value);
}
