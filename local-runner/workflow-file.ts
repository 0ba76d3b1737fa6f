import { type Mapping, mapping, readYaml, text } from './yaml.ts';

/** One job of a workflow, as the file has it: expressions not yet filled in. */
export interface Job {
  readonly name: string;
  /** The jobs before it that must have succeeded. */
  readonly needs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
  /** What `matrix` is in each copy of the job; a single empty one where there is no matrix. */
  readonly copies: readonly Mapping[];
  readonly steps: readonly JobStep[];
}

/** One step of a job, as the workflow file has it: expressions not yet filled in. */
export interface JobStep {
  /** Its name, or what it uses or runs. */
  readonly title: string;
  readonly id: string | undefined;
  /** Its `if`. */
  readonly condition: string;
  readonly continueOnError: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly does: Use | Run;
  /** Its place in the job; the steps of a `parallel` have one place, and run at once. */
  readonly place: number;
}

export interface Use {
  /** The action as it is written, such as `./upload` or `actions/checkout@v7`. */
  readonly uses: string;
  readonly inputs: Readonly<Record<string, string>>;
}

export interface Run {
  readonly script: string;
}

const OF_JOB = ['runs-on', 'timeout-minutes', 'concurrency', 'needs', 'strategy', 'env', 'outputs', 'steps'];
const OF_STEP = ['name', 'id', 'if', 'continue-on-error', 'env', 'uses', 'with', 'run'];

/**
 * Reads the jobs of a workflow, in their order.
 * @throws Error where one has what the runner neither knows nor is told to pass over
 */
export async function readWorkflow(file: string, passOver: readonly string[] = []): Promise<Job[]> {
  const jobs = Object.entries(mapping((await readYaml(file))['jobs']));
  return jobs.map(([name, job]) => toJob(name, mapping(job), passOver));
}

/**
 * Reads the steps of a job that stand after the one which runs `after`: those before it make a machine ready.
 * @throws Error where there is no such step, or one after it has what the runner does not know.
 */
export async function readJobSteps(file: string, job: string, after: string): Promise<JobStep[]> {
  const jobs = mapping((await readYaml(file))['jobs']);
  const steps = Object.values(mapping(mapping(jobs[job])['steps']));
  const ready = steps.findIndex(step => mapping(step)['run'] === after);
  if (ready === -1) throw new Error(`${file} has no job ${job} with a step that runs ${after}`);
  return toSteps(steps.slice(ready + 1));
}

function toJob(name: string, job: Mapping, passOver: readonly string[]): Job {
  onlyKnown(`The job ${name}`, job, [...OF_JOB, ...passOver]);
  return {
    name,
    needs: [job['needs'] ?? []].flat().map(text),
    env: texts(job['env']),
    outputs: texts(job['outputs']),
    copies: copiesOf(mapping(job['strategy']), passOver),
    steps: toSteps(Object.values(mapping(job['steps'])), passOver),
  };
}

/** Every combination of the values of a matrix. */
function copiesOf(strategy: Mapping, passOver: readonly string[]): Mapping[] {
  onlyKnown('A strategy', strategy, ['fail-fast', 'matrix', ...passOver]);
  return Object.entries(mapping(strategy['matrix'])).reduce<Mapping[]>(
    (copies, [name, values]) =>
      copies.flatMap(copy => valuesOf(name, values).map(value => ({ ...copy, [name]: value }))),
    [{}],
  );
}

function valuesOf(name: string, values: unknown): unknown[] {
  if (Array.isArray(values) && name !== 'include' && name !== 'exclude') return values;
  throw new Error(`A matrix has ${name}: ${JSON.stringify(values)}, which is not known here`);
}

function toSteps(steps: readonly unknown[], passOver: readonly string[] = []): JobStep[] {
  return steps.map(mapping).flatMap((step, place) => {
    if (passOver.includes('wait') && !('run' in step || 'uses' in step || 'parallel' in step)) return [];
    if (!('parallel' in step)) return [toStep(step, place, passOver)];
    onlyKnown('A parallel', step, ['parallel']);
    return Object.values(mapping(step['parallel'])).map(each => toStep(mapping(each), place, passOver));
  });
}

function toStep(step: Mapping, place: number, passOver: readonly string[]): JobStep {
  onlyKnown('A step', step, [...OF_STEP, ...passOver]);
  return {
    place,
    title: text(step['name'] ?? step['uses'] ?? step['run']),
    id: step['id'] === undefined ? undefined : text(step['id']),
    condition: text(step['if'] ?? 'success()'),
    continueOnError: step['continue-on-error'] === true,
    env: texts(step['env']),
    does:
      step['uses'] === undefined
        ? { script: text(step['run']) }
        : { uses: text(step['uses']), inputs: texts(step['with']) },
  };
}

/** Throws an Error where a mapping has a key beyond those that are known. */
function onlyKnown(what: string, entries: Mapping, known: readonly string[]): void {
  const unknown = Object.keys(entries).filter(key => !known.includes(key));
  if (unknown.length > 0) throw new Error(`${what} has ${unknown.join(', ')}, which is not known here`);
}

/** A mapping to texts: what stands as a number or a truth value is handed over as it is written, and nothing as empty. */
function texts(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(mapping(value)).map(([name, entry]) => [name, plain(name, entry)]));
}

function plain(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (typeof value !== 'object') return JSON.stringify(value);
  const kind = Array.isArray(value) ? 'list' : 'mapping';
  throw new Error(`${name} is a YAML ${kind}, where GitHub takes text alone; for several lines, write ${name}: |`);
}
