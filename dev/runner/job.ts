import { type Contexts, fillIn, holds } from './expressions.ts';
import { runScript, type StepEnd } from './step.ts';
import { actionOfCheckout, type FindAction, hasPost, runUse } from './use.ts';
import type { JobStep, Texts } from './workflow-file.ts';
import { mapping } from './yaml.ts';

/** Where a job runs. */
export interface JobOptions {
  /** The checkout. */
  readonly workspace: string;
  /** The job's RUNNER_TEMP. */
  readonly temp: string;
  /** Finds the actions of steps. Default: those of the checkout. */
  readonly findAction?: FindAction;
  /** Variables that the machine sets for every step. */
  readonly machine?: Texts;
  /** The job's `env`, its expressions not yet evaluated. */
  readonly env?: Texts;
  /** Contexts besides `github`, `runner` and `steps`. */
  readonly contexts?: Contexts;
  /** Called with the title of each step and each line of its log. */
  readonly log: (line: string) => void;
}

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

/**
 * Runs the steps of a job in order, those of a `parallel` at once, then the post steps in reverse.
 */
export async function runJob(
  steps: readonly (readonly JobStep[])[],
  options: JobOptions,
): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const together of steps) {
    const before = stateAfter(results, options);
    results.push(...(await Promise.all(together.map(step => runMain(step, before, options)))));
  }
  for (const main of results.toReversed()) {
    if (await isPostDue(main, options))
      results.push(await runPost(main, stateAfter(results, options), options));
  }
  return results;
}

/** The contexts after the steps so far, and the variables that they set. */
export function stateAfter(results: readonly StepResult[], options: JobOptions): JobState {
  const mains = results.filter(({ step, phase }) => step.id !== undefined && phase === 'main');
  const steps = mains.map(({ step, outcome, conclusion, end }) => [
    step.id,
    { outputs: end?.outputs ?? {}, outcome, conclusion },
  ]);
  const { workspace, temp, contexts = {} } = options;
  return {
    contexts: {
      ...contexts,
      github: { ...mapping(contexts['github']), workspace },
      runner: { temp },
      steps: Object.fromEntries(steps),
    },
    hasFailed: results.some(({ conclusion }) => conclusion === 'failure'),
    env: Object.assign({}, ...results.map(({ end }) => end?.env)),
  };
}

interface JobState {
  readonly contexts: Contexts;
  readonly hasFailed: boolean;
  readonly env: Texts;
}

/** Evaluates the expressions in each text. */
export function fillInAll(texts: Texts, contexts: Contexts): Texts {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, fillIn(text, contexts)]),
  );
}

async function runMain(step: JobStep, state: JobState, options: JobOptions): Promise<StepResult> {
  const { does, condition } = step;
  return settle(step, 'main', options, async () => {
    if (!holds(condition, state.contexts, state.hasFailed)) return undefined;
    options.log(titleOf(step));
    const places = placesOf(step, state, options);
    if ('script' in does)
      return runScript({ ...places, script: fillIn(does.script, state.contexts) });
    const action = findAction(does.uses, options);
    return runUse({ ...places, action, inputs: fillInAll(does.inputs, state.contexts) });
  });
}

async function isPostDue({ step, end }: StepResult, options: JobOptions): Promise<boolean> {
  if (end === undefined || end === NOT_STARTED || 'script' in step.does) return false;
  return hasPost(findAction(step.does.uses, options));
}

/** Runs the post step of an action, whatever happened before. */
async function runPost(
  main: StepResult,
  state: JobState,
  options: JobOptions,
): Promise<StepResult> {
  const { step, end } = main;
  return settle(step, 'post', options, async () => {
    if ('script' in step.does) return undefined;
    options.log(titleOf(step, 'Post '));
    const inputs = fillInAll(step.does.inputs, state.contexts);
    const action = findAction(step.does.uses, options);
    const post = { state: end?.state ?? {} };
    return runUse({ ...placesOf(step, state, options), action, inputs, post });
  });
}

/** Runs a step. As on GitHub, a step that cannot be started has failed. */
async function settle(
  step: JobStep,
  phase: StepResult['phase'],
  { log }: JobOptions,
  run: () => Promise<StepEnd | undefined>,
): Promise<StepResult> {
  const end = await run().catch((error: unknown) => {
    log(`::error::${String(error)}`);
    return NOT_STARTED;
  });
  for (const line of end?.stderr.split('\n') ?? []) if (line !== '') log(line);
  if (end === undefined) return { step, phase, outcome: 'skipped', conclusion: 'skipped', end };
  const outcome = end.exitCode === 0 ? 'success' : 'failure';
  const mayFail = step.continueOnError && phase === 'main';
  return { step, phase, outcome, conclusion: mayFail ? 'success' : outcome, end };
}

const NOTHING = { outputs: {}, state: {}, env: {}, summary: '' };
const NOT_STARTED: StepEnd = { exitCode: 1, stdout: '', stderr: '', ...NOTHING };

function titleOf({ title }: JobStep, prefix = ''): string {
  return `── ${prefix}${title.split('\n')[0]}`;
}

function findAction(uses: string, options: JobOptions): ReturnType<FindAction> {
  return (options.findAction ?? actionOfCheckout)(uses, options.workspace);
}

function placesOf(step: JobStep, state: JobState, options: JobOptions) {
  const { workspace, temp, machine, log } = options;
  const ofJob = fillInAll(options.env ?? {}, state.contexts);
  const ofStep = fillInAll(step.env, state.contexts);
  return { workspace, temp, onLine: log, env: { ...machine, ...ofJob, ...state.env, ...ofStep } };
}
