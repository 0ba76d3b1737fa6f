import { type Contexts, fillIn, holds } from './expressions.ts';
import { runScript } from './script.ts';
import type { StepEnd } from './step.ts';
import { actionOfCheckout, type FindAction, hasPost, type Places, type ReadyUse, runUse } from './use.ts';
import type { JobStep, Use } from './workflow-file.ts';
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

/**
 * Runs the steps of a job as GitHub's runner does: one after the other, those of one place at once, then what they do at
 * its end in reverse.
 */
export async function runJob(steps: readonly JobStep[], options: JobOptions): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const together of Object.values(Object.groupBy(steps, ({ place }) => place)))
    results.push(...(await runTogether(together ?? [], momentAfter(results, options), options)));
  for (const main of results.toReversed())
    results.push(...(await runPost(main, momentAfter(results, options), options)));
  return results;
}

/** The outputs of a job that ended so. As on GitHub, one that holds what a step has masked, or a secret, is dropped. */
export function jobOutputs(outputs: Texts, results: readonly StepResult[], options: JobOptions): Texts {
  const log = results.map(({ end }) => end?.stdout ?? '').join('\n');
  const masked = [...log.matchAll(/^::add-mask::(.+?)\r?$/gm)].map(([, secret = '']) => secret);
  const secrets = [...masked, ...Object.values(mapping(options.contexts?.['secrets'])).map(String)];
  const filled = Object.entries(filledIn(outputs, momentAfter(results, options)));
  return Object.fromEntries(
    filled.filter(([, value]) => !secrets.some(secret => secret !== '' && value.includes(secret))),
  );
}

/** Runs steps at once. What there is to tell of each is told in one piece, when it has ended, unless it is alone. */
async function runTogether(steps: readonly JobStep[], moment: Moment, options: JobOptions): Promise<StepResult[]> {
  if (steps.length === 1) return Promise.all(steps.map(step => runMain(step, moment, options)));
  return Promise.all(
    steps.map(async step => {
      const told: (() => void)[] = [];
      const result = await runMain(step, moment, {
        ...options,
        onStart: title => told.push(() => options.onStart(title)),
        onLine: line => told.push(() => options.onLine(line)),
        onEnd: end => told.push(() => options.onEnd(end)),
      });
      for (const tell of told) tell();
      return result;
    }),
  );
}

async function runMain(step: JobStep, moment: Moment, options: JobOptions): Promise<StepResult> {
  const skipped = { step, phase: 'main', outcome: 'skipped', conclusion: 'skipped', end: undefined } as const;
  if (!moment.holds(step.condition)) return skipped;
  options.onStart(step.title);
  const { does } = step;
  const end =
    'uses' in does
      ? await runUse(readyUse(step, does, moment, options))
      : await runScript({ ...placesOf(step, moment, options), script: moment.fillIn(does.script) });
  return resultOf(step, 'main', end, options);
}

/** The post step of a step that used an action which has one; it runs whatever came before. */
async function runPost({ step, end }: StepResult, moment: Moment, options: JobOptions): Promise<StepResult[]> {
  const { does } = step;
  if (end === undefined || !('uses' in does)) return [];
  const use = readyUse(step, does, moment, options);
  if (!(await hasPost(use))) return [];
  options.onStart(`Post ${step.title}`);
  return [resultOf(step, 'post', await runUse({ ...use, post: { state: end.state } }), options)];
}

type Texts = Readonly<Record<string, string>>;

/** What the steps before have made of the job. */
interface Moment {
  readonly holds: (condition: string) => boolean;
  readonly fillIn: (text: string) => string;
  /** The variables that steps before set. */
  readonly env: Texts;
}

function momentAfter(before: readonly StepResult[], options: JobOptions): Moment {
  const contexts = contextsOf(before, options);
  const failed = before.some(({ conclusion }) => conclusion === 'failure');
  return {
    holds: condition => holds(condition, contexts, failed, options.lenient),
    fillIn: text => fillIn(text, contexts, options.lenient),
    env: Object.fromEntries(before.flatMap(({ end }) => Object.entries(end?.env ?? {}))),
  };
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

function readyUse(step: JobStep, { uses, inputs }: Use, moment: Moment, options: JobOptions): ReadyUse {
  const action = (options.findAction ?? actionOfCheckout)(uses, options.workspace);
  return { ...placesOf(step, moment, options), uses, action, inputs: filledIn(inputs, moment) };
}

function placesOf(step: JobStep, moment: Moment, options: JobOptions): Places {
  const { workspace, temp, onLine, machine, env = {} } = options;
  const [ofJob, ofStep] = [env, step.env].map(texts => filledIn(texts, moment));
  return { workspace, temp, onLine, env: { ...machine, ...ofJob, ...moment.env, ...ofStep } };
}

function filledIn(texts: Texts, moment: Moment): Texts {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, moment.fillIn(text)]));
}

function resultOf(step: JobStep, phase: StepResult['phase'], end: StepEnd, { onLine, onEnd }: JobOptions): StepResult {
  for (const line of end.stderr.split(/\r?\n/)) if (line !== '') onLine(line);
  const outcome = end.exitCode === 0 ? 'success' : 'failure';
  const mayFail = step.continueOnError && phase === 'main';
  const result = { step, phase, outcome, conclusion: mayFail ? 'success' : outcome, end } as const;
  onEnd(result);
  return result;
}
