import path from 'node:path';
import { type ActionFile, readActionFile } from './action-file.ts';
import { execute, type ProcessEnd } from './execute.ts';
import { type Told, withFileCommands } from './file-commands.ts';

/** One step of a workflow that uses an action. */
export interface Step {
  /** Folder of the action, with its action.yml. */
  readonly action: string;
  /** The step's `with`. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly workspace: string;
  /** The job's RUNNER_TEMP. */
  readonly temp: string;
  /** Which script of the action to run, with what its main script left as state. The main script unless given. */
  readonly post?: { readonly state: Readonly<Record<string, string>> };
  /** Environment beside what the runner sets; an undefined value takes one of the runner's away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Told each line of the log as it comes. */
  readonly onLine?: (line: string) => void;
  /** Given the process as soon as it runs, to send it signals. */
  readonly onStart?: (signal: (name: NodeJS.Signals) => void) => void;
}

/** How a step ended, and what it told the runner. */
export type StepEnd = ProcessEnd & Told;

/** Runs the main or post script of an action as GitHub's runner does: in a process of its own, by way of environment and files. */
export async function runStep(step: Step): Promise<StepEnd> {
  const action = await readActionFile(step.action);
  const script = path.join(step.action, step.post === undefined ? action.main : (action.post ?? ''));
  return withFileCommands(step.temp, files =>
    execute({
      file: process.execPath,
      args: [script],
      cwd: step.workspace,
      env: environment(step, action, files),
      onLine: step.onLine,
      onStart: step.onStart,
    }),
  );
}

function environment(
  step: Step,
  action: ActionFile,
  files: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const inputs = Object.entries({ ...action.defaults, ...step.inputs });
  return {
    PATH: process.env['PATH'],
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: step.workspace,
    RUNNER_TEMP: step.temp,
    ...files,
    ...Object.fromEntries(inputs.map(([name, value]) => [inputVariable(name), value])),
    ...Object.fromEntries(
      Object.entries(step.post?.state ?? {}).map(([name, value]) => [`STATE_${name}`, value]),
    ),
    ...step.env,
  };
}

function inputVariable(name: string): string {
  return `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`;
}
