import { type JobStep, onlyKnown, texts, toStep } from './job-file.ts';
import { type Mapping, mapping, readYaml, text } from './yaml.ts';

/** One job of a workflow, as the file has it: expressions not yet filled in. */
export interface Job {
  readonly name: string;
  /** The jobs before it that must have succeeded. */
  readonly needs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What `matrix` is in each copy of the job; a single empty one where there is no matrix. */
  readonly copies: readonly Mapping[];
  readonly steps: readonly JobStep[];
}

const KNOWN = ['runs-on', 'timeout-minutes', 'concurrency', 'needs', 'strategy', 'env', 'steps'];

/**
 * Reads the jobs of a workflow, in their order.
 * @throws Error where one has what the runner neither knows nor is told to pass over
 */
export async function readWorkflow(file: string, passOver: readonly string[] = []): Promise<Job[]> {
  const jobs = Object.entries(mapping((await readYaml(file))['jobs']));
  return jobs.map(([name, job]) => toJob(name, mapping(job), passOver));
}

function toJob(name: string, job: Mapping, passOver: readonly string[]): Job {
  onlyKnown(`The job ${name}`, job, [...KNOWN, ...passOver]);
  return {
    name,
    needs: [job['needs'] ?? []].flat().map(text),
    env: texts(job['env']),
    copies: copiesOf(mapping(job['strategy']), passOver),
    steps: Object.values(mapping(job['steps'])).map(step => toStep(mapping(step), passOver)),
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
