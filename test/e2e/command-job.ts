import { onWindows } from '../system.ts';
import type { Result } from './result.ts';
import { expectFailure, expectSuccess, type Inputs } from './run-action.ts';
import { openJob, type TestJob, type TestJobOptions } from './test-job.ts';

export const WITHOUT_BASH = onWindows('there is no /bin/bash');

/** Opens a job whose sandbox runs commands. */
export function openCommandJob(options: TestJobOptions = {}): Promise<TestJob> {
  return openJob({ runCommands: true, ...options });
}

/** Runs the action `run` in a job of its own, and asserts that it succeeds. */
export async function succeed(inputs: Inputs, options: TestJobOptions = {}): Promise<Result> {
  await using job = await openCommandJob(options);
  return await expectSuccess(job, inputs, { task: 'run' });
}

/** Runs the action `run` in a job of its own, and asserts that it fails. */
export async function fail(inputs: Inputs, options: TestJobOptions = {}): Promise<Result> {
  await using job = await openCommandJob(options);
  return await expectFailure(job, inputs, { task: 'run' });
}
