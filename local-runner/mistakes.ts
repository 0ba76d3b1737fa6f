import { nearest } from '../src/gate/metrics.ts';
import { describeProblem, InputError } from '../src/inputs/parse.ts';
import { inputNames, parseInputs, type Task } from '../src/inputs/table.ts';
import { readActionFile } from './action-file.ts';
import { ACCESS, folderOf, taskOf } from './rehearsal.ts';
import type { Job, JobStep } from './workflow-file.ts';

/**
 * What is wrong with the steps of a workflow that a rehearsal would not show, since it replaces it or takes it for
 * empty: a sentence each, with the step.
 */
export async function mistakesIn(jobs: readonly Job[]): Promise<string[]> {
  const found = await Promise.all(
    jobs.flatMap(job =>
      job.steps.map(async step => {
        const mistakes = [...inputMistakes(step), ...(await missingOutputs(step, job, jobs))];
        return mistakes.map(mistake => `job ${job.name}, ${firstLine(step.title)}: ${mistake}`);
      }),
    ),
  );
  return found.flat();
}

/** The first line of a title. */
export function firstLine(title: string): string {
  return title.trim().replace(/\n.*/s, ' …');
}

function inputMistakes({ does }: JobStep): string[] {
  const task = 'uses' in does ? taskOf(does.uses) : undefined;
  if (!('uses' in does) || task === undefined) return [];
  const names = inputNames(task);
  const unknown = Object.keys(does.inputs).filter(name => !names.includes(name));
  return [
    ...unknown.map(name => `there is no input ${name}${didYouMean(name, names)}`),
    ...accessMistakes(task, does.inputs),
    ...(/\bneeds\./.test(does.inputs['token'] ?? '') ? [TOKEN_OF_OTHER_JOB] : []),
  ];
}

const TOKEN_OF_OTHER_JOB =
  'token: GitHub drops masked outputs between jobs. Ask for the token again, as in examples/other-job.yml.';

/** What the action itself says of the inputs that are replaced. An expression may be anything that is valid. */
function accessMistakes(task: Task, inputs: Readonly<Record<string, string>>): string[] {
  const filled = Object.entries(inputs).map(([name, value]) => {
    const isOne = name === 'base-url' && /^\$\{\{[^}]*\}\}$/.test(value.trim());
    return [name, isOne ? 'https://sandbox.example.com' : value.replaceAll(/\$\{\{.*?\}\}/gs, 'x')];
  });
  try {
    parseInputs(task, Object.fromEntries(filled));
    return [];
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.problems.filter(({ input }) => ACCESS.some(name => name === input)).map(describeProblem);
  }
}

/** The outputs that a step names and that nothing sets: on GitHub, each is empty. */
async function missingOutputs(step: JobStep, job: Job, jobs: readonly Job[]): Promise<string[]> {
  const { condition, env, does } = step;
  const texts = [...Object.values(env), ...('uses' in does ? Object.values(does.inputs) : [does.script])];
  const expressions = [condition, ...texts.flatMap(text => text.match(/\$\{\{.*?\}\}/gs) ?? [])].join('\n');
  const steps = await outputsBefore(step, job);
  const needs = outputsOfJobs(jobs.filter(({ name }) => job.needs.includes(name)));
  const named = [...expressions.matchAll(/\b(steps|needs)\.([\w-]+)\.outputs\.([\w-]+)/g)];
  return named.flatMap(([path, context, id = '', output = '']) => {
    const sources = context === 'steps' ? steps : needs;
    const place = context === 'steps' ? 'step before this one' : 'job that this one needs';
    if (!sources.has(id))
      return `${path}: there is no ${place} with the id ${id}${didYouMean(id, [...sources.keys()])}`;
    const outputs = sources.get(id);
    if (outputs === undefined || outputs.includes(output)) return [];
    return `${path}: ${id} has no output ${output}${didYouMean(output, outputs)}`;
  });
}

/** Outputs by the id of the step or the job that has them; undefined where they are not known. */
type Sources = ReadonlyMap<string, readonly string[] | undefined>;

async function outputsBefore({ place }: JobStep, { steps }: Job): Promise<Sources> {
  const before = steps.filter(step => step.place < place);
  return new Map(await Promise.all(before.map(async step => [step.id ?? '', await outputsOf(step)] as const)));
}

/** A job without steps is a workflow of its own. */
function outputsOfJobs(jobs: readonly Job[]): Sources {
  return new Map(jobs.map(({ name, steps, outputs }) => [name, steps.length === 0 ? undefined : Object.keys(outputs)]));
}

/** The outputs of a step; undefined where they are not known. */
async function outputsOf({ does }: JobStep): Promise<string[] | undefined> {
  if (!('uses' in does)) return outputsSetBy(does.script);
  const folder = folderOf(does.uses);
  return folder === undefined ? undefined : (await readActionFile(folder)).outputs.map(({ name }) => name);
}

/** The outputs that a script sets, if each line that writes any shows their names. */
function outputsSetBy(script: string): string[] | undefined {
  const writing = script.split('\n').filter(line => line.includes('GITHUB_OUTPUT'));
  const names = writing.map(line => [...line.matchAll(/(?<![\w$}-])([A-Za-z_][\w-]*)(?:=|<<)/g)]);
  if (names.length === 0 || names.some(found => found.length === 0)) return undefined;
  return names.flat().map(([, name = '']) => name);
}

function didYouMean(written: string, words: readonly string[]): string {
  const meant = nearest(written, words);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}
