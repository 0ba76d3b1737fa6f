import path from 'node:path';
import { readActionFile } from '../../local-runner/action-file.ts';
import { type ActionUse, action, PROJECT } from './action.ts';
import type { Contender } from './contender.ts';
import { curlLoop, curlParallel } from './curl.ts';
import { e2bContenders, isE2bInstalled } from './e2b.ts';
import { engine } from './engine.ts';

/** The ways to use the action that are measured, the first as it comes. Those that it has no inputs for are left out. */
const ACTION_USES: readonly ActionUse[] = [
  { name: '', inputs: {} },
  { name: 'files-per-request: 100', inputs: { 'files-per-request': '100' } },
];

/** Who runs, in this order, and who cannot and why. */
export interface Lineup {
  readonly contenders: readonly Contender[];
  readonly leftOut: readonly string[];
}

/** Every contender that can run here. */
export async function lineup(): Promise<Lineup> {
  const { inputs } = await readActionFile(path.join(PROJECT, 'upload'));
  const known = new Set(inputs.map(input => input.name));
  const isPossible = (use: ActionUse) => Object.keys(use.inputs).every(name => known.has(name));
  const uses = ACTION_USES.filter(isPossible);
  const impossible = ACTION_USES.filter(use => !isPossible(use));
  const e2b = isE2bInstalled() ? e2bContenders : [];
  return {
    contenders: [...uses.map(action), ...uses.map(engine), curlParallel, curlLoop, ...e2b],
    leftOut: [
      ...impossible.map(use => `action with ${use.name}: this version has no such input`),
      ...(isE2bInstalled() ? [] : ['e2b: it is not installed, npm ci --prefix bench does it']),
    ],
  };
}
