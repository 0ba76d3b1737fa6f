import {
  type Inputs,
  openWorld,
  type Result,
  type RunOptions,
  runAction,
} from '../../action/harness.ts';
import { filesBelow } from '../../system.ts';
import type { Hostile } from './hostile.ts';

export interface TokenRun extends Pick<RunOptions, 'env'> {
  readonly inputs: Inputs;
}

/**
 * Runs the action with a token against a server. The result includes every file of the runner's
 * places.
 */
export async function leftBy(
  hostile: Hostile,
  token: string,
  { inputs, env = {} }: TokenRun,
): Promise<Result> {
  await using world = await openWorld({ token });
  const run = { 'base-url': hostile.url, token, retries: '0', ...inputs };
  const result = await runAction({ ...world, agent: { ...world.agent, url: hostile.url } }, run, {
    env,
  });
  const texts = Object.entries(filesBelow(world.temp)).flatMap(([name, content]) => [
    name,
    content.toString(),
  ]);
  return { ...result, report: result.report, everything: [result.everything, ...texts].join('\n') };
}
