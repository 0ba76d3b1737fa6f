import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ActionFile, readActionFile } from './action-file.ts';
import { parseKeyValueFile } from './key-value-file.ts';

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

/** How a step ended. */
export interface StepEnd {
  /** Null where a signal ended the process. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** The job summary, as Markdown. */
  readonly summary: string;
  /** What it left for its post step. */
  readonly state: Readonly<Record<string, string>>;
}

/** Runs the main or post script of an action as GitHub's runner does: in a process of its own, by way of environment and files. */
export async function runStep(step: Step): Promise<StepEnd> {
  const action = await readActionFile(step.action);
  const folder = await mkdtemp(path.join(step.temp, '_runner_file_commands-'));
  const files = {
    GITHUB_OUTPUT: path.join(folder, 'output'),
    GITHUB_STATE: path.join(folder, 'state'),
    GITHUB_STEP_SUMMARY: path.join(folder, 'summary'),
  };
  try {
    for (const file of Object.values(files)) await writeFile(file, '');
    const script = path.join(step.action, step.post === undefined ? action.main : (action.post ?? ''));
    const ended = await execute(script, environment(step, action, files), step);
    const state = parseKeyValueFile(await readFile(files.GITHUB_STATE, 'utf8'));
    const outputs = parseKeyValueFile(await readFile(files.GITHUB_OUTPUT, 'utf8'));
    return { ...ended, outputs, state, summary: await readFile(files.GITHUB_STEP_SUMMARY, 'utf8') };
  } finally {
    await rm(folder, { recursive: true });
  }
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

function execute(
  script: string,
  env: NodeJS.ProcessEnv,
  step: Step,
): Promise<Omit<StepEnd, 'outputs' | 'state' | 'summary'>> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script], {
      env,
      cwd: step.workspace,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const text = { stdout: '', stderr: '' };
    const lines = lineSplitter(line => step.onLine?.(line));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text.stdout += chunk;
      lines.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text.stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', exitCode => {
      lines.end();
      resolve({ exitCode, ...text });
    });
    step.onStart?.(name => child.kill(name));
  });
}

function lineSplitter(onLine: (line: string) => void): { push: (chunk: string) => void; end: () => void } {
  let rest = '';
  return {
    push(chunk) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    },
    end() {
      if (rest !== '') onLine(rest);
    },
  };
}
