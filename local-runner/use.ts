import path from 'node:path';
import { readActionFile } from './action-file.ts';
import { runStep, type Step, type StepEnd } from './step.ts';

/** Finds an action by what a step `uses`: its folder, or what plays it. */
export type FindAction = (uses: string, workspace: string) => string | Play;

/** Plays the action of somebody else, given the step's `with`. It has no outputs, and succeeds unless it throws. */
export type Play = (inputs: Readonly<Record<string, string>>, workspace: string) => Promise<void>;

export type Places = Pick<Step, 'workspace' | 'temp' | 'env' | 'onLine'>;

/** A step that uses an action, expressions filled in. */
export interface ReadyUse extends Places, Pick<Step, 'inputs' | 'post'> {
  readonly uses: string;
  readonly action: string | Play;
}

/**
 * The folder of an action of the checkout.
 * @throws Error for the action of another repository
 */
export function actionOfCheckout(uses: string, workspace: string): string {
  if (/^\.(\/[\w-]*)+$/.test(uses)) return path.join(workspace, uses);
  throw new Error(`${uses} is no action of this repository`);
}

/**
 * Runs the action.
 * @throws Error where the step has an input that the action does not
 */
export async function runUse({ uses, action, ...use }: ReadyUse): Promise<StepEnd> {
  if (typeof action !== 'string') {
    await action(use.inputs, use.workspace);
    return { exitCode: 0, stdout: '', stderr: '', outputs: {}, state: {}, env: {}, summary: '' };
  }
  const known = (await readActionFile(action)).inputs.map(({ name }) => name);
  const unknown = Object.keys(use.inputs).filter(name => !known.includes(name));
  if (unknown.length > 0) throw new Error(`The action ${uses} has no input ${unknown.join(', ')}`);
  return runStep({ ...use, action });
}

/** Whether the action has something to do at the end of the job. */
export async function hasPost({ action }: ReadyUse): Promise<boolean> {
  return typeof action === 'string' && (await readActionFile(action)).post !== undefined;
}
