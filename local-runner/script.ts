import path from 'node:path';
import { execute } from './execute.ts';
import { withFileCommands } from './file-commands.ts';
import type { Step, StepEnd } from './step.ts';

/** One step of a workflow that runs a script. */
export interface ScriptStep extends Pick<Step, 'workspace' | 'temp' | 'env' | 'onLine'> {
  readonly script: string;
}

/** Runs a script as GitHub's runner does with `shell: bash`. What it finds as `node` is the Node of this process. */
export function runScript({ script, workspace, temp, env, onLine }: ScriptStep): Promise<StepEnd> {
  return withFileCommands(temp, files =>
    execute({
      file: 'bash',
      args: ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
      cwd: workspace,
      env: {
        PATH: [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter),
        HOME: process.env['HOME'],
        GITHUB_ACTIONS: 'true',
        GITHUB_WORKSPACE: workspace,
        RUNNER_TEMP: temp,
        ...files,
        ...env,
      },
      onLine,
    }),
  );
}
