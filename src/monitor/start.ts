import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { parseFields, textsOf } from '../text/json.ts';
import { filesIn, type SavedInputs } from './record.ts';

export interface SamplerTask extends SavedInputs {
  /** When this process exits, the job is over. */
  readonly jobPid: number;
}

export async function startSampler(
  script: string,
  directory: string,
  task: SamplerTask,
): Promise<void> {
  const { errors, pid } = filesIn(directory);
  const errorFile = openSync(errors, 'a', 0o600);
  const child = spawn(process.execPath, [script, directory], {
    env: samplerEnvironment(),
    // Windows cannot remove a process's working directory, and a job may remove its workspace.
    cwd: path.dirname(directory),
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', errorFile],
  });
  closeSync(errorFile);
  await once(child, 'spawn');
  writeFileSync(pid, String(child.pid), { mode: 0o600 });
  // Use a pipe: other processes can read arguments and environments.
  child.stdin?.end(JSON.stringify(task));
  child.unref();
}

export async function receiveTask(): Promise<SamplerTask> {
  const { inputs, origin, jobPid } = parseFields(await text(process.stdin));
  return { inputs: textsOf(inputs), origin: Number(origin), jobPid: Number(jobPid) };
}

// Inputs may be secret, and other processes can read the environment.
function samplerEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.filter(([name]) => !name.startsWith('INPUT_')));
}
