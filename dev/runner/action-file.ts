import path from 'node:path';
import { mapping, readYaml, text } from './yaml.ts';

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
