import path from 'node:path';
import { readActionFile } from './action-file.ts';
import { runStep, type Step, type StepEnd } from './step.ts';

/** Finds an action by a step's `uses`: its folder, or a function that plays it. */
export type FindAction = (uses: string, workspace: string) => string | Play;

/** Plays an action of another repository. It has no outputs, and succeeds unless it throws. */
export type Play = (inputs: Step['inputs'], workspace: string) => Promise<void>;

/**
 * The folder of an action of the checkout.
 * @throws Error for an action of another repository
 */
export function actionOfCheckout(uses: string, workspace: string): string {
  if (/^\.(\/[\w-]*)+$/.test(uses)) return path.join(workspace, uses);
  throw new Error(`${uses} is no action of this repository`);
}

/** Runs an action. @throws Error for an input that the action does not have; GitHub only warns */
export async function runUse(
  step: Omit<Step, 'action'> & { readonly action: string | Play },
): Promise<StepEnd> {
  const { action, inputs } = step;
  if (typeof action !== 'string') {
    await action(inputs, step.workspace);
    return { exitCode: 0, stdout: '', stderr: '', outputs: {}, state: {}, env: {}, summary: '' };
  }
  const known = (await readActionFile(action)).inputs.map(({ name }) => name);
  const unknown = Object.keys(inputs).filter(name => !known.includes(name));
  if (unknown.length > 0) throw new Error(`${action} has no input ${unknown.join(', ')}`);
  return runStep({ ...step, action });
}

/** Whether the action has a post step. */
export async function hasPost(action: string | Play): Promise<boolean> {
  return typeof action === 'string' && (await readActionFile(action)).post !== undefined;
}
