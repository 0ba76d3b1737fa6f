import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openRecorder, type Recorder } from '../../src/monitor/recorder.ts';
import {
  type Inputs,
  METRICS,
  openWorld,
  type Result,
  type RunOptions,
  runAction,
  runWell,
  type World,
  type WorldOptions,
} from '../action/harness.ts';

/** A job with a monitor in it; the sandbox tells how its memory is used, in percent. */
export interface Job extends AsyncDisposable {
  readonly world: World;
  /** The directory that the monitor records into. */
  readonly directory: string;
  /** The output `monitor`. */
  readonly id: string;
  /** Lets the sandbox use so much memory, and waits for so many further samples. */
  use(percent: number, samples: number): Promise<void>;
  /** Runs a step that stops the monitor, with these inputs. */
  stop(inputs?: Inputs, env?: RunOptions['env']): Promise<Result>;
  /** Runs the post step, to which the runner hands these inputs in addition. */
  post(inputs?: Inputs, env?: RunOptions['env']): Promise<Result>;
}

/**
 * Starts a job and runs the monitor's main step. What it leaves running ends when the job is
 * disposed of.
 */
export async function startJob(
  inputs: Inputs = {},
  { env = {}, ...options }: WorldOptions & Pick<RunOptions, 'env'> = {},
): Promise<Job> {
  let used = 10;
  const metrics = () => ({
    ...METRICS,
    ts: Math.floor(Date.now() / 1000),
    mem_total: 1000,
    mem_used: used * 10,
  });
  const world = await openWorld({ metrics, ...options });
  const given = { 'sample-interval': '200ms', ...inputs };
  const main = await runWell(world, given, { task: 'monitor', env });
  const directory = main.state['directory'] ?? '';
  const { monitor: id = '' } = main.outputs;
  return {
    world,
    directory,
    id,
    async use(percent, samples) {
      used = percent;
      const due = world.agent.requests.length + samples;
      await until(() => world.agent.requests.length >= due || undefined);
    },
    stop: (more = {}, moreEnv = {}) =>
      runAction(world, more, { task: 'monitor-stop', env: { ...env, ...moreEnv } }),
    post: (more = {}, moreEnv = {}) =>
      runAction(
        world,
        { ...given, ...more },
        { task: 'monitor', env: { ...env, ...moreEnv }, post: main },
      ),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

/**
 * Runs the post step of a monitor with these inputs on what `write` records, in place of a sampling
 * process.
 */
export async function runPost(
  inputs: Inputs,
  write: (recorder: Recorder, directory: string) => void,
  options: RunOptions = {},
): Promise<Result> {
  await using world = await openWorld();
  const directory = path.join(world.temp, 'sandbox-sync-monitor-played');
  mkdirSync(directory);
  write(openRecorder(directory), directory);
  const kept = { 'sandbox-id': 'sandbox1', 'base-url': world.agent.url, 'fail-if': '', ...inputs };
  const post = { state: { directory, inputs: JSON.stringify(kept) } };
  return await runAction(world, {}, { ...options, task: 'monitor', post });
}

/** The sampling process of a directory. */
export async function samplerIn(directory: string): Promise<number> {
  return Number(path.basename(await until(() => processIn(directory))));
}

/** Waits until something is so; the test fails where it is not in half a minute. */
export async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 1500; tries += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(20);
  }
  throw new Error('what was waited for did not come');
}

/** The folder of /proc of the process that samples into a directory, if there is one. */
export function processIn(directory: string): string | undefined {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => path.join('/proc', name))
    .find(folder => commandLineOf(folder).at(-2) === directory);
}

/** A file of the sampling process as the system shows it. */
export function readProcess(folder: string, name: string): string {
  return readFileSync(path.join(folder, name), 'utf8');
}

function commandLineOf(folder: string): string[] {
  try {
    return readProcess(folder, 'cmdline').split('\0');
  } catch {
    // It ended meanwhile.
    return [];
  }
}
