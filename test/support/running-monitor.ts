import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { STALL } from './faults.ts';
import type { Result } from './result.ts';
import { expectSuccess, type Inputs, type RunOptions, runAction } from './run-action.ts';
import { METRICS, openJob, type TestJob, type TestJobOptions } from './test-job.ts';

/**
 * Starts a monitor of a sandbox that uses 10 % of its memory. It samples at its start and its end;
 * the interval is longer than any test. Disposing of it kills its sampler.
 */
export async function startMonitor(inputs: Inputs = {}, options: TestJobOptions = {}) {
  let used = 10;
  const metrics = () => ({ ...METRICS, mem_used: (METRICS.mem_total * used) / 100 });
  const job = await openJob({ metrics, ...options });
  const monitor = await startMonitorIn(job, inputs);
  return {
    ...monitor,
    setMemory(percent: number) {
      used = percent;
    },
    async [Symbol.asyncDispose]() {
      await monitor[Symbol.asyncDispose]();
      await job[Symbol.asyncDispose]();
    },
  };
}

export async function startMonitorIn(job: TestJob, inputs: Inputs) {
  const given = { 'sample-interval': '1h', ...inputs };
  const env = { RUNNER_DEBUG: '1' };
  const main = await expectSuccess(job, given, { task: 'monitor', env });
  const { monitor: id = '' } = main.outputs;
  const directory = path.join(job.temp, id);
  const pid = samplerPid(main);
  return {
    job,
    directory,
    id,
    /** Process ID of the sampler. */
    pid,
    stop: (more: Inputs = {}, options: RunOptions = {}) =>
      runAction(job, more, { ...options, task: 'monitor-stop' }),
    post: (more: Inputs = {}, options: RunOptions = {}) =>
      runAction(job, { ...given, ...more }, { ...options, task: 'monitor', post: main }),
    async [Symbol.asyncDispose]() {
      if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    },
  };
}

/** Returns the process ID that the debug log of a monitor's main step names. */
export function samplerPid({ stdout }: Result): number {
  return Number(/taken by process (\d+)/.exec(stdout)?.[1]);
}

/** Stalls the second request for stats, which is the last sample. */
export const STALLING_LAST_SAMPLE: TestJobOptions = {
  faults: [{ on: 'stats', skip: 1, do: STALL }],
};

/** Waits until `isTrue` returns true. @throws Error after 30 s */
export async function pollUntil(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1500; tries += 1) {
    if (isTrue()) return;
    await delay(20);
  }
  throw new Error('the condition is still false');
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
