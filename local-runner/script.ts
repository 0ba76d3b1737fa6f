import path from 'node:path';
import { execute } from './execute.ts';
import { openFileCommands } from './file-commands.ts';
import type { Step, StepEnd } from './step.ts';

/** One step of a workflow that runs a script. */
export interface ScriptStep extends Pick<Step, 'workspace' | 'temp' | 'env' | 'onLine'> {
  readonly script: string;
}

/** Runs a script as GitHub's runner does with `shell: bash`. What it finds as `node` is the Node of this process. */
export async function runScript(step: ScriptStep): Promise<StepEnd> {
  const { script, workspace, temp, env, onLine } = step;
  await using files = await openFileCommands(temp);
  const end = await execute({
    file: 'bash',
    args: ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
    cwd: workspace,
    env: {
      PATH: [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter),
      HOME: process.env['HOME'],
      GITHUB_ACTIONS: 'true',
      GITHUB_WORKSPACE: workspace,
      RUNNER_TEMP: temp,
      ...files.variables,
      ...env,
    },
    onLine,
  });
  return { ...end, ...(await files.read()) };
}
