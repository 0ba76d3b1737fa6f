import { type Mapping, mapping, readYaml, text } from './yaml.ts';

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
}

export interface Use {
  /** The action as it is written, such as `./upload` or `actions/checkout@v7`. */
  readonly uses: string;
  readonly inputs: Readonly<Record<string, string>>;
}

export interface Run {
  readonly script: string;
}

const KNOWN = ['name', 'id', 'if', 'continue-on-error', 'env', 'uses', 'with', 'run'];

/**
 * Reads the steps of a job that stand after the one which runs `after`: those before it make a machine ready.
 * @throws Error where there is no such step, or one after it has what the runner does not know.
 */
export async function readJobSteps(file: string, job: string, after: string): Promise<JobStep[]> {
  const jobs = mapping((await readYaml(file))['jobs']);
  const steps = Object.values(mapping(mapping(jobs[job])['steps'])).map(mapping);
  const ready = steps.findIndex(step => step['run'] === after);
  if (ready === -1) throw new Error(`${file} has no job ${job} with a step that runs ${after}`);
  return steps.slice(ready + 1).map(step => toStep(step));
}

/**
 * Reads one step.
 * @throws Error where it has what the runner neither knows nor is told to pass over
 */
export function toStep(step: Mapping, passOver: readonly string[] = []): JobStep {
  onlyKnown('A step', step, [...KNOWN, ...passOver]);
  return {
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
export function onlyKnown(what: string, entries: Mapping, known: readonly string[]): void {
  const unknown = Object.keys(entries).filter(key => !known.includes(key));
  if (unknown.length > 0) throw new Error(`${what} has ${unknown.join(', ')}, which is not known here`);
}

/** A mapping to texts: what stands as a number or a truth value is handed over as it is written. */
export function texts(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(mapping(value)).map(([name, entry]) => [name, String(entry)]));
}
