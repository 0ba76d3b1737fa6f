import { type Mapping, mapping, readYaml, text } from './yaml.ts';

/** One job of a workflow, with unevaluated expressions. */
export interface Job {
  readonly name: string;
  /** The jobs that must succeed first. */
  readonly needs: readonly string[];
  readonly env: Texts;
  readonly outputs: Texts;
  /** `matrix` in each copy of the job; one empty mapping without a matrix. */
  readonly copies: readonly Mapping[];
  /** The steps of a `parallel` are one group; every other step is its own. */
  readonly steps: readonly (readonly JobStep[])[];
}

/** One step of a job, with unevaluated expressions. */
export interface JobStep {
  /** Its name, or what it uses or runs. */
  readonly title: string;
  readonly id: string | undefined;
  /** Its `if`. */
  readonly condition: string;
  readonly continueOnError: boolean;
  readonly env: Texts;
  readonly does: Use | Run;
}

export interface Use {
  /** The action, such as `./upload` or `actions/checkout@v7`. */
  readonly uses: string;
  readonly inputs: Texts;
}

export interface Run {
  readonly script: string;
}

export type Texts = Readonly<Record<string, string>>;

/** Reads the jobs of a workflow in order. Ignores keys that do not affect the steps. */
export async function readWorkflow(file: string): Promise<Job[]> {
  const jobs = Object.entries(mapping((await readYaml(file))['jobs']));
  return jobs.map(([name, job]) => toJob(name, mapping(job)));
}

function toJob(name: string, job: Mapping): Job {
  return {
    name,
    needs: [job['needs'] ?? []].flat().map(text),
    env: texts(job['env']),
    outputs: texts(job['outputs']),
    copies: copiesOf(mapping(mapping(job['strategy'])['matrix'])),
    steps: Object.values(mapping(job['steps'])).map(mapping).map(toSteps),
  };
}

/** Every combination of the values of a matrix. */
function copiesOf(matrix: Mapping): Mapping[] {
  return Object.entries(matrix).reduce<Mapping[]>(
    (copies, [name, values]) =>
      copies.flatMap(copy => [values].flat().map(value => ({ ...copy, [name]: value }))),
    [{}],
  );
}

function toSteps(step: Mapping): JobStep[] {
  const parallel = step['parallel'];
  return parallel === undefined
    ? [toStep(step)]
    : Object.values(mapping(parallel)).map(each => toStep(mapping(each)));
}

function toStep(step: Mapping): JobStep {
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

function texts(value: unknown): Texts {
  return Object.fromEntries(
    Object.entries(mapping(value)).map(([name, entry]) => [name, text(entry)]),
  );
}
