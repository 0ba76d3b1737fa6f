import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { openAgent } from '../agent/client.ts';
import type { Context } from '../inputs/context.ts';
import { inputError } from '../inputs/input-error.ts';
import { INPUTS, type Inputs } from '../inputs/inputs.ts';
import type { RawInputs } from '../inputs/parsers.ts';
import { FIRST_SAMPLE_RETRIES, readJudgeableStats } from '../stats/stats.ts';
import { formatDuration } from '../text/format.ts';
import { monitorFile, samplerErrors, saveFile, saveSample } from './record.ts';

/** Takes a sample, so that a wrong token, host or ID fails this step, then starts the sampler. */
export async function startMonitor(
  inputs: Inputs<'monitor'>,
  raw: RawInputs,
  context: Context,
  { script, openDirectory }: { script: string; openDirectory: () => string },
): Promise<void> {
  await using client = openAgent(inputs, context);
  const request = { ...inputs, retries: FIRST_SAMPLE_RETRIES };
  const askedAt = context.now();
  const { figures, response } = await readJudgeableStats(request, client, context);
  const directory = openDirectory();
  const judgingInputs = Object.keys(INPUTS['monitor-end']).map(name => [name, raw[name] ?? '']);
  const saved = { ...Object.fromEntries(judgingInputs), 'base-url': inputs.baseUrl };
  saveFile(directory, 'inputs', saved);
  const observation = { kind: 'sample', askedAt, at: context.now(), figures } as const;
  saveSample(directory, { observation, response });
  await startSampler(script, directory, raw, context.log);
  const { name, sandboxId, sampleInterval } = inputs;
  const activity = name === '' ? 'Monitoring' : `${name}: monitoring`;
  const interval = formatDuration(sampleInterval);
  context.log.line(`${activity} sandbox ${sandboxId}, a sample every ${interval}`);
}

/** Resolves once the sampler is ready. @throws InputError if it exits before */
async function startSampler(
  script: string,
  directory: string,
  inputs: RawInputs,
  log: Context['log'],
): Promise<void> {
  const errorFile = openSync(monitorFile(directory, 'errors'), 'a', 0o600);
  const withoutInputs = Object.entries(process.env).filter(([name]) => !name.startsWith('INPUT_'));
  // Our parent is the runner's process, whose exit tells the sampler that the job has ended. In a
  // container job, that is outside and has the ID 0, so the sampler ends with the container.
  const child = spawn(process.execPath, [script, directory, String(process.ppid)], {
    env: Object.fromEntries(withoutInputs),
    // Windows cannot delete a directory while a process runs in it, and a job may delete its
    // workspace.
    cwd: path.dirname(directory),
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'ignore', errorFile, 'ipc'],
  });
  closeSync(errorFile);
  // Send a message, since inputs may be secret: other processes can read arguments and
  // environments. If the process ends before, its exit says why.
  child.send(inputs, () => {});
  await Promise.race([once(child, 'message'), once(child, 'exit')]);
  const end = child.exitCode ?? child.signalCode;
  if (end !== null) {
    // There is nothing for the post step to judge.
    saveFile(directory, 'judged');
    throw inputError(
      'monitor',
      `its process ended at once with ${end}${samplerErrors(directory)}.`,
    );
  }
  log.debug(`The samples are taken by process ${child.pid}`);
  child.disconnect();
  child.unref();
}
