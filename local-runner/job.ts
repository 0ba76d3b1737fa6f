import path from 'node:path';
import { readActionFile } from './action-file.ts';
import { type Contexts, fillIn, holds } from './expressions.ts';
import type { JobStep, Use } from './job-file.ts';
import { runScript } from './script.ts';
import { runStep, type Step, type StepEnd } from './step.ts';

/** Where a job runs, and who is told of it. */
export interface JobOptions {
  /** The checkout; actions are found below it. */
  readonly workspace: string;
  /** The job's RUNNER_TEMP. */
  readonly temp: string;
  readonly onStart: (title: string) => void;
  /** Told each line of a step's log. */
  readonly onLine: (line: string) => void;
  readonly onEnd: (result: StepResult) => void;
}

/** What came of one step. */
export interface StepResult {
  readonly step: JobStep;
  /** Whether this is the step itself or what its action does at the end of the job. */
  readonly phase: 'main' | 'post';
  readonly outcome: 'success' | 'failure' | 'skipped';
  /** The outcome, but success where the step may fail. */
  readonly conclusion: 'success' | 'failure' | 'skipped';
  /** Undefined where it was skipped. */
  readonly end: StepEnd | undefined;
}

/** Runs the steps of a job as GitHub's runner does: one after the other, then what they do at its end in reverse. */
export async function runJob(steps: readonly JobStep[], options: JobOptions): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const step of steps) results.push(await runMain(step, results, options));
  for (const main of results.toReversed()) results.push(...(await runPost(main, results, options)));
  return results;
}

async function runMain(
  step: JobStep,
  before: readonly StepResult[],
  options: JobOptions,
): Promise<StepResult> {
  const failed = before.some(({ conclusion }) => conclusion === 'failure');
  const skipped = { step, phase: 'main', outcome: 'skipped', conclusion: 'skipped', end: undefined } as const;
  if (!holds(step.condition, contextsOf(before, options), failed)) return skipped;
  options.onStart(step.title);
  const { does } = step;
  const places = placesOf(step, before, options);
  const contexts = contextsOf(before, options);
  const end =
    'uses' in does
      ? await runStep(await useOf(does, places, contexts))
      : await runScript({ ...places, script: fillIn(does.script, contexts) });
  return resultOf(step, 'main', end, options);
}

/** The post step of a step that used an action which has one; it runs whatever came before. */
async function runPost(
  { step, end }: StepResult,
  before: readonly StepResult[],
  options: JobOptions,
): Promise<StepResult[]> {
  const { does } = step;
  if (end === undefined || !('uses' in does)) return [];
  const use = await useOf(does, placesOf(step, before, options), contextsOf(before, options));
  if ((await readActionFile(use.action)).post === undefined) return [];
  options.onStart(`Post ${step.title}`);
  return [resultOf(step, 'post', await runStep({ ...use, post: { state: end.state } }), options)];
}

async function useOf(
  { uses, inputs }: Use,
  places: Pick<Step, 'workspace' | 'temp' | 'env' | 'onLine'>,
  contexts: Contexts,
): Promise<Step> {
  const action = path.join(places.workspace, uses);
  const known = (await readActionFile(action)).inputs.map(({ name }) => name);
  const unknown = Object.keys(inputs).filter(name => !known.includes(name));
  if (unknown.length > 0) throw new Error(`The action ${uses} has no input ${unknown.join(', ')}`);
  return { ...places, action, inputs: filledIn(inputs, contexts) };
}

function placesOf(step: JobStep, before: readonly StepResult[], options: JobOptions) {
  const { workspace, temp, onLine } = options;
  const env = { ...envOf(before), ...filledIn(step.env, contextsOf(before, options)) };
  return { workspace, temp, onLine, env };
}

/** The variables that steps before set for those after them. */
function envOf(before: readonly StepResult[]): Readonly<Record<string, string>> {
  return Object.fromEntries(before.flatMap(({ end }) => Object.entries(end?.env ?? {})));
}

function resultOf(
  step: JobStep,
  phase: StepResult['phase'],
  end: StepEnd,
  { onLine, onEnd }: JobOptions,
): StepResult {
  for (const line of end.stderr.split('\n')) if (line !== '') onLine(line);
  const outcome = end.exitCode === 0 ? 'success' : 'failure';
  const mayFail = step.continueOnError && phase === 'main';
  const result = { step, phase, outcome, conclusion: mayFail ? 'success' : outcome, end } as const;
  onEnd(result);
  return result;
}

function contextsOf(before: readonly StepResult[], { workspace, temp }: JobOptions): Contexts {
  const told = before.flatMap(({ step, phase, outcome, conclusion, end }) =>
    step.id === undefined || phase === 'post'
      ? []
      : [[step.id, { outputs: end?.outputs ?? {}, outcome, conclusion }] as const],
  );
  return { github: { workspace }, runner: { temp }, steps: Object.fromEntries(told) };
}

function filledIn(
  texts: Readonly<Record<string, string>>,
  contexts: Contexts,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fillIn(text, contexts)]));
}
