import path from 'node:path';
import { type ActionUse, suffix, uploadInputs } from './action.ts';
import { type Contender, nodeScript } from './contender.ts';

/** The sources of the action from a plan that is made to the last answer, timed by themselves. */
export function engine(use: ActionUse): Contender {
  return {
    name: `engine${suffix(use)}`,
    kind: 'engine',
    measuresItself: true,
    prepare: async job =>
      nodeScript(path.join(import.meta.dirname, 'engine-process.ts'), job, {
        workspace: job.folder,
        inputs: uploadInputs(use, job),
      }),
  };
}
