import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  type Inputs,
  pathOf,
  type Result,
  type RunOptions,
  runAction,
  uploads,
  type World,
} from './harness.ts';

/** The state file: in a hidden folder of the checkout, which `**` skips. */
export const STATE = '.sandbox-sync/state.json';

/** A run with a state file, and the targets that it sent. */
export interface Sent extends Result {
  readonly sent: readonly string[];
}

/** Runs the action with a state file. */
export async function run(
  world: World,
  inputs: Inputs = {},
  options: RunOptions = {},
): Promise<Sent> {
  const before = uploads(world).length;
  const result = await runAction(world, { 'state-file': STATE, ...inputs }, options);
  assert.equal(result.stderr, '');
  const sent = uploads(world).slice(before).map(pathOf).toSorted();
  return Object.assign(result, { sent });
}

/** Runs the action with a state file, and asserts that the step succeeded. */
export async function runWellWith(
  world: World,
  inputs: Inputs = {},
  options: RunOptions = {},
): Promise<Sent> {
  const result = await run(world, inputs, options);
  assert.equal(result.exitCode, 0, result.stdout);
  return result;
}

/** The targets that a run sends now. */
export async function sentBy(world: World, inputs: Inputs = {}): Promise<readonly string[]> {
  return (await runWellWith(world, inputs)).sent;
}

export function stateText(world: World, file = STATE): string {
  return readFileSync(path.join(world.workspace, file), 'utf8');
}

export function hasState(world: World, file = STATE): boolean {
  return existsSync(path.join(world.workspace, file));
}

export function changeState(world: World, change: (text: string) => string): void {
  writeFileSync(path.join(world.workspace, STATE), change(stateText(world)));
}

/** The targets that the state file knows. */
export function known(world: World): string[] {
  const { files }: { files: { target: string }[] } = JSON.parse(stateText(world));
  return files.map(({ target }) => target);
}
