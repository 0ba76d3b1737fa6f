import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Inputs, openWorld, type Result, runAction, type World } from '../../action/harness.ts';
import type { Hostile } from './hostile.ts';

export interface TokenRun {
  readonly inputs?: Inputs | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the action with a token against a server; to what it left behind belongs every file of the runner's places. */
export async function leftBy(
  hostile: Hostile,
  token: string,
  { inputs, env = {} }: TokenRun,
): Promise<Result> {
  await using world = await openWorld({ token });
  const before = new Set(filesOf(world));
  const result = await runAction(
    { ...world, agent: { ...world.agent, url: hostile.url } },
    { 'base-url': hostile.url, token, retries: '0', ...inputs },
    {
      env: { GITHUB_STATE: path.join(world.outside, 'state'), ...env },
    },
  );
  const files = filesOf(world).filter(file => !before.has(file));
  const texts = files.flatMap(file => [file, readFileSync(file, 'utf8')]);
  return { ...result, report: result.report, everything: [result.everything, ...texts].join('\n') };
}

function filesOf({ workspace }: World): string[] {
  const directory = path.dirname(workspace);
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name));
}
