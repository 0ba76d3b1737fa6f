import { type Mapping, mapping, readYaml, text } from './yaml.ts';

/** One job of a workflow, with unevaluated expressions. */
export interface Job {
  readonly name: string;
  readonly env: Texts;
  readonly outputs: Texts;
  readonly steps: readonly JobStep[];
}

/** One step of a job, which uses an action or runs a script. */
export interface JobStep {
  /** Its name, or what it uses or runs. */
  readonly title: string;
  readonly id: string | undefined;
  /** Its `if`. */
  readonly condition: string;
  readonly continueOnError: boolean;
  readonly env: Texts;
  /** The action, such as `./upload` or `actions/checkout@v7`. */
  readonly uses: string | undefined;
  readonly script: string;
  readonly inputs: Texts;
}

export type Texts = Readonly<Record<string, string>>;

/** Reads the jobs of a workflow. Ignores keys that do not affect the steps of one job. */
export async function readWorkflow(file: string): Promise<Job[]> {
  const jobs = Object.entries(mapping((await readYaml(file))['jobs']));
  return jobs.map(([name, value]) => {
    const { env, outputs, steps } = mapping(value);
    const all = Object.values(mapping(steps)).map(step => toStep(mapping(step)));
    return { name, env: texts(env), outputs: texts(outputs), steps: all };
  });
}

function toStep(step: Mapping): JobStep {
  const { name, id, uses, run } = step;
  return {
    title: text(name ?? uses ?? run),
    id: id === undefined ? undefined : text(id),
    condition: text(step['if'] ?? 'success()'),
    continueOnError: step['continue-on-error'] === true,
    env: texts(step['env']),
    uses: uses === undefined ? undefined : text(uses),
    script: text(run),
    inputs: texts(step['with']),
  };
}

function texts(value: unknown): Texts {
  const entries = Object.entries(mapping(value));
  return Object.fromEntries(entries.map(([name, entry]) => [name, text(entry)]));
}
