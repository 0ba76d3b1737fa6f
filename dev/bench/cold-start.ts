import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { prepareStep } from '../runner/step.ts';
import { PROJECT } from './contenders/action.ts';
import { connectionInputs } from './contenders/contender.ts';
import { NEAR } from './places.ts';
import { type Command, measure } from './process.ts';
import { type ColdStart, median } from './results.ts';
import type { Plan } from './rounds.ts';

/** Node alone. */
export const BASELINE = 'node -e 0';

const ROUNDS = 20;

/** Starts each entry of the action with almost nothing to do, and Node alone. */
export async function measureColdStarts(plan: Plan): Promise<ColdStart[]> {
  const { servers, temp, rounds = ROUNDS, withWarmUp, say } = plan;
  writeFileSync(path.join(temp, 'file.txt'), 'content');
  const starts = await prepareStarts(await servers.sink.setUp(NEAR), temp);
  const roundsMs = starts.map((): number[] => []);
  for (let round = withWarmUp ? 0 : 1; round <= rounds; round += 1) {
    say(`cold start, round ${round} of ${rounds}`);
    for (const [index, { command }] of starts.entries()) {
      const { ms } = await measure(command);
      if (round > 0) roundsMs[index]?.push(ms);
    }
  }
  return starts.map(({ entry, what }, index) => {
    const times = roundsMs[index] ?? [];
    return { entry, what, roundsMs: times, medianMs: median(times) };
  });
}

interface Entry {
  readonly entry: string;
  readonly what: string;
  /** The folder of its action. */
  readonly folder: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly exitCode?: string;
  readonly isPost?: boolean;
}

// Each with as little to do as possible.
function entries(url: string): Entry[] {
  const sending = { ...connectionInputs(url), files: 'file.txt' };
  const monitor = { folder: 'monitor', inputs: {} };
  return [
    { entry: 'sync', what: 'one small file, and one reading', folder: '', inputs: sending },
    { entry: 'upload', what: 'one small file', folder: 'upload', inputs: sending },
    { entry: 'stats', what: 'one reading', folder: 'stats', inputs: connectionInputs(url) },
    { ...monitor, entry: 'monitor', what: 'no inputs, which is an error', exitCode: '1' },
    { ...monitor, entry: 'monitor-post', what: 'no monitor to end', isPost: true },
  ];
}

interface Start {
  readonly entry: string;
  readonly what: string;
  readonly command: Command;
}

async function prepareStarts(url: string, temp: string): Promise<Start[]> {
  const nothing = { file: process.execPath, args: ['-e', '0'], cwd: temp, env: {} };
  const starts = entries(url).map(async ({ entry, what, folder, inputs, exitCode, isPost }) => {
    const post = isPost === true ? { post: { state: {} } } : {};
    const action = path.join(PROJECT, folder);
    const { command } = await prepareStep({ action, inputs, workspace: temp, temp, ...post });
    return { entry, what, command: exitCode === undefined ? command : { ...command, exitCode } };
  });
  return [{ entry: BASELINE, what: 'nothing', command: nothing }, ...(await Promise.all(starts))];
}
