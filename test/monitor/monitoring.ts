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

/** A job with a monitor and a sandbox with adjustable memory use. */
export interface Job extends AsyncDisposable {
  readonly world: World;
  /** The directory that the monitor records into. */
  readonly directory: string;
  /** The output `monitor`. */
  readonly id: string;
  /** Sets memory use in percent, and waits for so many further samples. */
  use(percent: number, samples: number): Promise<void>;
  /** Runs monitor/stop. */
  stop(inputs?: Inputs, env?: RunOptions['env']): Promise<Result>;
  /** Runs the post step with these further inputs. */
  post(inputs?: Inputs, env?: RunOptions['env']): Promise<Result>;
}

/** Starts a job with a monitor. Disposing of it ends everything. */
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

/** Runs a monitor's post step on what `write` records in place of a sampler. */
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

/** The sampler's process ID. */
export async function samplerIn(directory: string): Promise<number> {
  return Number(path.basename(await until(() => processIn(directory))));
}

/** Waits until `look` returns a value. Fails after half a minute. */
export async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 1500; tries += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(20);
  }
  throw new Error('what was waited for did not come');
}

/** The sampler's folder in /proc, if it runs. */
export function processIn(directory: string): string | undefined {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => path.join('/proc', name))
    .find(folder => commandLineOf(folder).at(-2) === directory);
}

/** A file of the sampler in /proc. */
export function readProcess(folder: string, name: string): string {
  return readFileSync(path.join(folder, name), 'utf8');
}

function commandLineOf(folder: string): string[] {
  try {
    return readProcess(folder, 'cmdline').split('\0');
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
