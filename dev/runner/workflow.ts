import type { Contexts } from './expressions.ts';
import { fillInAll, type JobOptions, runJob, type StepResult, stateAfter } from './job.ts';
import type { Job, Texts } from './workflow-file.ts';
import { type Mapping, mapping } from './yaml.ts';

export interface WorkflowOptions {
  /** Opens a machine for each copy of a job. */
  readonly openMachine: () => Omit<JobOptions, 'env' | 'contexts'>;
  /** Contexts of every job, such as `secrets` and `vars`. */
  readonly contexts: Contexts;
}

/** How one copy of a job ended. */
export interface JobResult {
  readonly job: string;
  readonly matrix: Mapping;
  readonly succeeded: boolean;
  readonly outputs: Texts;
  readonly steps: readonly StepResult[];
}

/**
 * Runs the jobs of a workflow in order, the copies of each at once. Skips a job if one that it
 * needs did not succeed.
 */
export async function runWorkflow(
  jobs: readonly Job[],
  options: WorkflowOptions,
): Promise<JobResult[]> {
  const results: JobResult[] = [];
  for (const job of jobs) {
    if (!job.needs.every(name => hasSucceeded(name, results))) continue;
    const contexts = { ...options.contexts, needs: needsOf(job, results) };
    const copies = job.copies.map((_, index) => runCopy(job, index, { ...options, contexts }));
    results.push(...(await Promise.all(copies)));
  }
  return results;
}

function hasSucceeded(name: string, results: readonly JobResult[]): boolean {
  const copies = results.filter(({ job }) => job === name);
  return copies.length > 0 && copies.every(({ succeeded }) => succeeded);
}

/** The outputs of the jobs that a job needs. The last copy that sets an output wins. */
function needsOf({ needs }: Job, results: readonly JobResult[]): Contexts {
  return Object.fromEntries(
    needs.map(name => {
      const copies = results.filter(({ job }) => job === name);
      return [name, { outputs: Object.assign({}, ...copies.map(({ outputs }) => outputs)) }];
    }),
  );
}

async function runCopy(job: Job, index: number, options: WorkflowOptions): Promise<JobResult> {
  const matrix = job.copies[index] ?? {};
  const strategy = { 'job-index': index, 'job-total': job.copies.length };
  const contexts = { ...options.contexts, matrix, strategy };
  const jobOptions = { ...options.openMachine(), env: job.env, contexts };
  const steps = await runJob(job.steps, jobOptions);
  const outputs = fillInAll(job.outputs, stateAfter(steps, jobOptions).contexts);
  return {
    job: job.name,
    matrix,
    succeeded: steps.every(({ conclusion }) => conclusion !== 'failure'),
    outputs: withoutSecrets(outputs, [...masked(steps), ...secretsOf(contexts)]),
    steps,
  };
}

/** GitHub drops a job output that contains a masked value or a secret. */
function withoutSecrets(outputs: Texts, secrets: readonly string[]): Texts {
  const holdsSecret = (value: string) =>
    secrets.some(secret => secret !== '' && value.includes(secret));
  return Object.fromEntries(Object.entries(outputs).filter(([, value]) => !holdsSecret(value)));
}

function masked(steps: readonly StepResult[]): string[] {
  const log = steps.map(({ end }) => end?.stdout ?? '').join('\n');
  return [...log.matchAll(/^::add-mask::(.+)$/gm)].map(([, secret = '']) => secret);
}

function secretsOf(contexts: Contexts): string[] {
  return Object.values(mapping(contexts['secrets'])).map(String);
}
