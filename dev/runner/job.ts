import path from 'node:path';
import { readActionFile } from './action-file.ts';
import { type Contexts, fillIn, holds } from './expressions.ts';
import { runScript, runStep, type StepEnd } from './step.ts';
import type { Job, JobStep, Texts } from './workflow-file.ts';
import { mapping } from './yaml.ts';

/** Where a job runs. */
export interface JobOptions {
  /** The checkout. */
  readonly workspace: string;
  /** The job's RUNNER_TEMP. */
  readonly temp: string;
  /** Finds the folder of an action, or plays it. Default: the actions of the checkout. */
  readonly findAction?: FindAction;
  /** Variables that the machine sets for every step. */
  readonly machine?: Texts;
  /** Contexts besides `runner` and `steps`. */
  readonly contexts?: Contexts;
  /** Called with the title of each step and each line of its log. */
  readonly log: (line: string) => void;
}

export type FindAction = (uses: string, workspace: string) => string | Play;

/** Plays an action of another repository. It has no outputs, and succeeds unless it throws. */
export type Play = (inputs: Texts, workspace: string) => Promise<void>;

/** How one step ended. */
export interface StepResult {
  readonly step: JobStep;
  readonly phase: 'main' | 'post';
  readonly outcome: 'success' | 'failure' | 'skipped';
  /** Like the outcome, but a failed step with `continue-on-error` has succeeded. */
  readonly conclusion: StepResult['outcome'];
  /** Undefined for a skipped step. */
  readonly end: StepEnd | undefined;
}

/** How a job ended. */
export interface JobEnd {
  readonly results: readonly StepResult[];
  readonly outputs: Texts;
}

const NOTHING = { stdout: '', stderr: '', outputs: {}, state: {}, env: {}, summary: '' };
const NOT_STARTED: StepEnd = { ...NOTHING, exitCode: 1 };

/** Runs the steps of a job in order, then the post steps in reverse. */
export async function runJob(job: Job, options: JobOptions): Promise<JobEnd> {
  const results: StepResult[] = [];
  for (const step of job.steps) results.push(await runOne(step, job, results, options));
  for (const main of results.toReversed())
    if (main.end && main.end !== NOT_STARTED)
      results.push(await runOne(main.step, job, results, options, main.end));
  const ran = results.filter(({ end, phase }) => phase === 'main' || end !== undefined);
  return { results: ran, outputs: fillInAll(job.outputs, contextsAfter(results, options)) };
}

function contextsAfter(results: readonly StepResult[], options: JobOptions): Contexts {
  const mains = results.filter(({ step, phase }) => step.id !== undefined && phase === 'main');
  const steps = mains.map(({ step, outcome, conclusion, end }) => {
    return [step.id, { outputs: end?.outputs ?? {}, outcome, conclusion }];
  });
  const { workspace, temp, contexts = {} } = options;
  const github = { ...mapping(contexts['github']), workspace };
  return { ...contexts, github, runner: { temp }, steps: Object.fromEntries(steps) };
}

/** Runs a step, or its post step given the end of its main step. */
async function runOne(
  step: JobStep,
  job: Job,
  before: readonly StepResult[],
  options: JobOptions,
  main?: StepEnd,
): Promise<StepResult> {
  const contexts = contextsAfter(before, options);
  const hasFailed = before.some(({ conclusion }) => conclusion === 'failure');
  const phase = main ? 'post' : 'main';
  const set = Object.assign({}, ...before.map(({ end }) => end?.env));
  // As on GitHub, a step that cannot be started has failed.
  const end = await (async () => {
    if (main === undefined && !holds(step.condition, contexts, hasFailed)) return undefined;
    const env = { ...options.machine, ...fillInAll(job.env, contexts), ...set };
    return await start(step, { env, contexts, options, main });
  })().catch((error: unknown) => {
    options.log(`::error::${String(error)}`);
    return NOT_STARTED;
  });
  for (const line of end?.stderr.split('\n') ?? []) if (line !== '') options.log(line);
  if (end === undefined) return { step, phase, outcome: 'skipped', conclusion: 'skipped', end };
  const outcome = end.exitCode === 0 ? 'success' : 'failure';
  const mayFail = step.continueOnError && phase === 'main';
  return { step, phase, outcome, conclusion: mayFail ? 'success' : outcome, end };
}

interface Surroundings {
  readonly env: Texts;
  readonly contexts: Contexts;
  readonly options: JobOptions;
  readonly main: StepEnd | undefined;
}

/** Undefined if there is no post step to run. */
async function start(step: JobStep, around: Surroundings): Promise<StepEnd | undefined> {
  const { contexts, main } = around;
  const { workspace, temp, log, findAction = actionOfCheckout } = around.options;
  const action = step.uses === undefined ? undefined : findAction(step.uses, workspace);
  if (main && !(typeof action === 'string' && (await readActionFile(action)).post))
    return undefined;
  log(`── ${main ? 'Post ' : ''}${step.title.split('\n')[0]}`);
  const env = { ...around.env, ...fillInAll(step.env, contexts) };
  const places = { workspace, temp, env, onLine: log };
  const inputs = fillInAll(step.inputs, contexts);
  if (action === undefined) return runScript({ ...places, script: fillIn(step.script, contexts) });
  if (typeof action === 'string')
    return runStep({ ...places, action, inputs, post: main && { state: main.state } });
  await action(inputs, workspace);
  return { ...NOTHING, exitCode: 0 };
}

/** @throws Error for an action of another repository */
function actionOfCheckout(uses: string, workspace: string): string {
  if (/^\.(\/[\w-]*)+$/.test(uses)) return path.join(workspace, uses);
  throw new Error(`${uses} is no action of this repository`);
}

/** Evaluates the expressions in each text. */
function fillInAll(texts: Texts, contexts: Contexts): Texts {
  const entries = Object.entries(texts);
  return Object.fromEntries(entries.map(([name, text]) => [name, fillIn(text, contexts)]));
}
