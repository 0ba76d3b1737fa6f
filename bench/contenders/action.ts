import path from 'node:path';
import { prepareStep } from '../../local-runner/step.ts';
import { type Contender, connectionInputs, type Job, type Prepared } from './contender.ts';

/** The folder of the project. */
export const PROJECT = path.resolve(import.meta.dirname, '../..');

/** A way to use the action, by the inputs that it sets beside those that every use needs. */
export interface ActionUse {
  readonly name: string;
  readonly inputs: Readonly<Record<string, string>>;
}

/** The inputs that upload the files of a job as one use of the action does. */
export function uploadInputs({ inputs }: ActionUse, { url }: Job): Record<string, string> {
  return { ...connectionInputs(url), files: '**', ...inputs };
}

/** The built action `upload`, as the runner starts it. */
export function action(use: ActionUse): Contender {
  return {
    name: `action${suffix(use)}`,
    kind: 'action',
    async prepare(job): Promise<Prepared> {
      const step = await prepareStep({
        action: path.join(PROJECT, 'upload'),
        inputs: uploadInputs(use, job),
        workspace: job.folder,
        temp: job.temp,
      });
      return {
        command: step.command,
        [Symbol.asyncDispose]: () => step[Symbol.asyncDispose](),
      };
    },
  };
}

/** What stands behind the name of a contender that uses the action in a certain way. */
export function suffix({ name }: ActionUse): string {
  return name === '' ? '' : `, ${name}`;
}
