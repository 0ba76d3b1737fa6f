import { type Contexts, fillIn, holds } from './expressions.ts';
import type { JobStep, Use } from './job-file.ts';
import { runScript } from './script.ts';
import type { StepEnd } from './step.ts';
import { actionOfCheckout, type FindAction, hasPost, type Places, type ReadyUse, runUse } from './use.ts';
import { mapping } from './yaml.ts';

/** Where a job runs, and who is told of it. */
export interface JobOptions {
  /** The checkout. */
  readonly workspace: string;
  /** The job's RUNNER_TEMP. */
  readonly temp: string;
  /** Finds the actions that steps use. Default: those of the checkout alone. */
  readonly findAction?: FindAction;
  /** Variables that the machine sets for every step. Default none. */
  readonly machine?: Readonly<Record<string, string>>;
  /** The job's `env`, expressions not yet filled in. Default none. */
  readonly env?: Readonly<Record<string, string>>;
  /** What expressions may name beside `github.workspace`, `runner` and `steps`. Default nothing. */
  readonly contexts?: Contexts;
  /** Whether an expression that is not known is empty text, and an `if` of that kind holds. Default false: an Error. */
  readonly lenient?: boolean;
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
  if (!holds(step.condition, contextsOf(before, options), failed, options.lenient)) return skipped;
  options.onStart(step.title);
  const { does } = step;
  const end =
    'uses' in does
      ? await runUse(readyUse(step, does, before, options))
      : await runScript({
          ...placesOf(step, before, options),
          script: fillIn(does.script, contextsOf(before, options), options.lenient),
        });
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
  const use = readyUse(step, does, before, options);
  if (!(await hasPost(use))) return [];
  options.onStart(`Post ${step.title}`);
  return [resultOf(step, 'post', await runUse({ ...use, post: { state: end.state } }), options)];
}

function readyUse(
  step: JobStep,
  { uses, inputs }: Use,
  before: readonly StepResult[],
  options: JobOptions,
): ReadyUse {
  const { findAction = actionOfCheckout, workspace } = options;
  return {
    ...placesOf(step, before, options),
    uses,
    action: findAction(uses, workspace),
    inputs: filledIn(inputs, before, options),
  };
}

function placesOf(step: JobStep, before: readonly StepResult[], options: JobOptions): Places {
  const { workspace, temp, onLine, machine, env = {} } = options;
  const [ofJob, ofStep] = [env, step.env].map(texts => filledIn(texts, before, options));
  return { workspace, temp, onLine, env: { ...machine, ...ofJob, ...envOf(before), ...ofStep } };
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

function contextsOf(before: readonly StepResult[], { workspace, temp, contexts = {} }: JobOptions): Contexts {
  const told = before.flatMap(({ step, phase, outcome, conclusion, end }) =>
    step.id === undefined || phase === 'post'
      ? []
      : [[step.id, { outputs: end?.outputs ?? {}, outcome, conclusion }] as const],
  );
  const github = { ...mapping(contexts['github']), workspace };
  return { ...contexts, github, runner: { temp }, steps: Object.fromEntries(told) };
}

function filledIn(
  texts: Readonly<Record<string, string>>,
  before: readonly StepResult[],
  options: JobOptions,
): Readonly<Record<string, string>> {
  const contexts = contextsOf(before, options);
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, fillIn(text, contexts, options.lenient)]),
  );
}
