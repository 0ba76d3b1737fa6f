import type { Contexts } from './expressions.ts';
import { type JobOptions, runJob, type StepResult } from './job.ts';
import type { Job } from './workflow-file.ts';
import type { Mapping } from './yaml.ts';

/** The machine that a copy of a job runs on, and who is told of it. */
export type Machine = Omit<JobOptions, 'env' | 'contexts'>;

/** What a workflow runs with. */
export interface WorkflowOptions {
  /** Provides a machine for each copy of a job, given what `matrix` is in it. */
  readonly openMachine: (matrix: Mapping) => Machine;
  /** What expressions may name in every job, such as `secrets` and `vars`. */
  readonly contexts: Contexts;
}

/** What came of one copy of a job. */
export interface JobResult {
  readonly job: string;
  readonly matrix: Mapping;
  readonly succeeded: boolean;
  readonly steps: readonly StepResult[];
}

/** Runs the jobs of a workflow, one after the other, and the copies of each at once. A job is left out where one that it needs did not succeed. */
export async function runWorkflow(jobs: readonly Job[], options: WorkflowOptions): Promise<readonly JobResult[]> {
  const results: JobResult[] = [];
  for (const job of jobs) {
    if (!job.needs.every(name => hasSucceeded(name, results))) continue;
    results.push(...(await Promise.all(job.copies.map((_, index) => runCopy(job, index, options)))));
  }
  return results;
}

function hasSucceeded(name: string, results: readonly JobResult[]): boolean {
  const copies = results.filter(({ job }) => job === name);
  return copies.length > 0 && copies.every(({ succeeded }) => succeeded);
}

async function runCopy(
  { name, env, copies, steps }: Job,
  index: number,
  { openMachine, contexts }: WorkflowOptions,
): Promise<JobResult> {
  const matrix = copies[index] ?? {};
  const strategy = { 'job-index': index, 'job-total': copies.length };
  const results = await runJob(steps, {
    ...openMachine(matrix),
    env,
    contexts: { ...contexts, matrix, strategy },
  });
  const succeeded = results.every(({ conclusion }) => conclusion !== 'failure');
  return { job: name, matrix, succeeded, steps: results };
}
