import type { Contexts } from './expressions.ts';
import { type JobOptions, jobOutputs, runJob, type StepResult } from './job.ts';
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
  readonly outputs: Readonly<Record<string, string>>;
  readonly steps: readonly StepResult[];
}

/** Runs the jobs of a workflow, one after the other, and the copies of each at once. A job is left out where one that it needs did not succeed. */
export async function runWorkflow(jobs: readonly Job[], options: WorkflowOptions): Promise<readonly JobResult[]> {
  const results: JobResult[] = [];
  for (const job of jobs) {
    if (!job.needs.every(name => hasSucceeded(name, results))) continue;
    const contexts = { ...options.contexts, needs: needsOf(job, results) };
    results.push(...(await Promise.all(job.copies.map((_, index) => runCopy(job, index, { ...options, contexts })))));
  }
  return results;
}

function hasSucceeded(name: string, results: readonly JobResult[]): boolean {
  const copies = results.filter(({ job }) => job === name);
  return copies.length > 0 && copies.every(({ succeeded }) => succeeded);
}

/** The outputs of the jobs that one needs; of a job with copies, those of the last one that has them. */
function needsOf({ needs }: Job, results: readonly JobResult[]): Contexts {
  const outputsOf = (name: string) => results.filter(({ job }) => job === name).flatMap(r => Object.entries(r.outputs));
  return Object.fromEntries(needs.map(name => [name, { outputs: Object.fromEntries(outputsOf(name)) }]));
}

async function runCopy(
  { name, env, outputs, copies, steps }: Job,
  index: number,
  { openMachine, contexts }: WorkflowOptions,
): Promise<JobResult> {
  const matrix = copies[index] ?? {};
  const strategy = { 'job-index': index, 'job-total': copies.length };
  const jobOptions = { ...openMachine(matrix), env, contexts: { ...contexts, matrix, strategy } };
  const results = await runJob(steps, jobOptions);
  const succeeded = results.every(({ conclusion }) => conclusion !== 'failure');
  return { job: name, matrix, succeeded, outputs: jobOutputs(outputs, results, jobOptions), steps: results };
}
