import path from 'node:path';
import { type ActionFile, readActionFile } from './action-file.ts';
import { type Command, execute, type ProcessEnd } from './execute.ts';
import { openFileCommands, type Told } from './file-commands.ts';

/** One step of a workflow that uses an action. */
export interface Step {
  /** Folder of the action's action.yml. */
  readonly action: string;
  /** The step's `with`. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly workspace: string;
  /** The job's RUNNER_TEMP. */
  readonly temp: string;
  /** Runs the post script with this state instead of the main script. */
  readonly post?: { readonly state: Readonly<Record<string, string>> } | undefined;
  /** Variables besides the runner's; an undefined value removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called with each line of the log as it comes. */
  readonly onLine?: (line: string) => void;
  /** Called when the process runs, with a function that sends it signals. */
  readonly onStart?: (signal: (name: NodeJS.Signals) => void) => void;
}

/** How a step ended, and what it told the runner. */
export type StepEnd = ProcessEnd & Told;

/**
 * Runs the main or post script of an action as GitHub's runner does: in its own process, with
 * environment variables and files.
 */
export async function runStep(step: Step): Promise<StepEnd> {
  await using prepared = await prepareStep(step);
  const { onLine, onStart } = step;
  const end = await execute({ ...prepared.command, onLine, onStart });
  return { ...end, ...(await prepared.told()) };
}

/** Prepares a step for callers that start its process. Disposing of it deletes its files. */
export async function prepareStep(step: Step) {
  const action = await readActionFile(step.action);
  const script = path.join(
    step.action,
    step.post === undefined ? action.main : (action.post ?? ''),
  );
  const files = await openFileCommands(step.temp);
  const env = environment(step, action, files.variables);
  const command: Command = { file: process.execPath, args: [script], cwd: step.workspace, env };
  return { ...files, command };
}

function environment(
  step: Step,
  action: ActionFile,
  files: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  // The runner passes every input of action.yml, empty without a value or a default.
  const defaults = action.inputs.map(input => [input.name, input.default ?? '']);
  const inputs = Object.entries({ ...Object.fromEntries(defaults), ...step.inputs });
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
