import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { inputError } from '../inputs/input-error.ts';
import type { RawInputs } from '../inputs/parsers.ts';
import { parseFields, stringFieldsOf } from '../text/json.ts';
import { monitorFiles, readRecord } from './record.ts';

export interface SamplerOptions {
  readonly inputs: RawInputs;
  /** The runner's process, which exits when the job ends. */
  readonly jobPid: number;
}

/**
 * Starts the sampler in the background.
 * @throws InputError if it exits before it has read its options
 */
export async function startSampler(
  script: string,
  directory: string,
  options: SamplerOptions,
): Promise<void> {
  const { errors, pid } = monitorFiles(directory);
  const errorFile = openSync(errors, 'a', 0o600);
  const child = spawn(process.execPath, [script, directory], {
    env: samplerEnvironment(),
    // Windows cannot delete a directory while a process runs in it, and a job may delete its
    // workspace.
    cwd: path.dirname(directory),
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', errorFile],
  });
  closeSync(errorFile);
  await once(child, 'spawn');
  writeFileSync(pid, String(child.pid), { mode: 0o600 });
  // Use a pipe, since inputs may be secret: other processes can read arguments and environments.
  const sent = child.stdin && finished(child.stdin.end(JSON.stringify(options)));
  await sent?.catch(() => {
    const { crash = 'for no known reason' } = readRecord(directory);
    throw inputError('monitor', `its process ended at once: ${crash}.`);
  });
  child.unref();
}

export async function receiveSamplerOptions(): Promise<SamplerOptions> {
  const { inputs, jobPid } = parseFields(await text(process.stdin));
  return { inputs: stringFieldsOf(inputs), jobPid: Number(jobPid) };
}

function samplerEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.filter(([name]) => !name.startsWith('INPUT_')));
}
