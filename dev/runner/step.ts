import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readActionFile } from './action-file.ts';
import { type Command, execute, type ProcessEnd } from './execute.ts';
import { parseKeyValueFile } from './file-commands.ts';

type Variables = Readonly<Record<string, string>>;

export interface Step extends Pick<Command, 'onLine' | 'onStart'> {
  /** Folder that contains action.yml. */
  readonly action: string;
  /** As in the step's `with`. */
  readonly inputs: Variables;
  readonly workspace: string;
  /** The value of RUNNER_TEMP. */
  readonly temp: string;
  /** Runs the post script with this saved state, instead of the main script. */
  readonly post?: { readonly state: Variables } | undefined;
  /** Additional environment variables. Undefined removes a default one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface StepEnd extends ProcessEnd {
  readonly outputs: Variables;
  readonly state: Variables;
  readonly env: Variables;
  readonly summary: string;
}

const FILES = ['GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_ENV', 'GITHUB_STEP_SUMMARY'] as const;

/**
 * Runs the main or post script of an action as GitHub's runner does: in its own process, with the
 * runner's environment variables and files.
 */
export async function runStep(step: Step): Promise<StepEnd> {
  const { workspace: cwd, post, onLine, onStart } = step;
  const action = await readActionFile(step.action);
  const script = post === undefined ? action.main : (action.post ?? '');
  // Unlike GitHub's runner, keep them out of RUNNER_TEMP, which tests read while other steps run.
  await using folder = await mkdtempDisposable(path.join(tmpdir(), '_runner_file_commands-'));
  const place = (name: (typeof FILES)[number]) => path.join(folder.path, name);
  for (const name of FILES) await writeFile(place(name), '');
  // Like the runner, pass every input of action.yml: '' if it has neither a value nor a default.
  const defaults = action.inputs.map(input => [input.name, input.default ?? '']);
  const inputs = { ...Object.fromEntries(defaults), ...step.inputs };
  const env = {
    PATH: process.env['PATH'],
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: cwd,
    RUNNER_TEMP: step.temp,
    ...Object.fromEntries(FILES.map(name => [name, place(name)])),
    ...renameAll(inputs, name => `INPUT_${name.toUpperCase()}`),
    ...renameAll(post?.state ?? {}, name => `STATE_${name}`),
    ...step.env,
  };
  const args = [path.join(step.action, script)];
  const end = await execute({ file: process.execPath, args, cwd, env, onLine, onStart });
  const read = async (name: (typeof FILES)[number]) => await readFile(place(name), 'utf8');
  return {
    ...end,
    outputs: parseKeyValueFile(await read('GITHUB_OUTPUT')),
    state: parseKeyValueFile(await read('GITHUB_STATE')),
    env: parseKeyValueFile(await read('GITHUB_ENV')),
    summary: await read('GITHUB_STEP_SUMMARY'),
  };
}

function renameAll(values: Variables, rename: (name: string) => string): Variables {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [rename(name), value]));
}
