import path from 'node:path';
import { prepareStep } from '../../runner/step.ts';
import { type Contender, connectionInputs } from './contender.ts';

/** The folder of the project. */
export const PROJECT = path.resolve(import.meta.dirname, '../../..');

/**
 * The built action `upload` as the runner starts it, with its defaults and with one file per
 * request.
 */
export const actionContenders: readonly Contender[] = [
  action('action', {}),
  action('action, files-per-request: 1', { 'files-per-request': '1' }),
];

function action(name: string, inputs: Readonly<Record<string, string>>): Contender {
  return {
    name,
    kind: 'action',
    async prepare({ url, folder, temp, caFile }) {
      const { command } = await prepareStep({
        action: path.join(PROJECT, 'upload'),
        inputs: { ...connectionInputs(url), files: '**', ...inputs },
        workspace: folder,
        temp,
        env: { NODE_EXTRA_CA_CERTS: caFile },
      });
      return command;
    },
  };
}
