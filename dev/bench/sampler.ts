import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runStep } from '../runner/step.ts';
import { PROJECT } from './contenders/action.ts';
import { connectionInputs } from './contenders/contender.ts';
import { NEAR } from './places.ts';
import { highWaterMark, readProc } from './process.ts';
import type { Plan } from './rounds.ts';

const SHORTEST = '200ms';
const LONGEST_MS = 60_000;

/** Peak memory of a monitor's sampler over some samples, in bytes; null without /proc. */
export async function measureSampler(
  { servers: { sink }, temp, say }: Plan,
  readings: number,
): Promise<number | null> {
  if (!existsSync('/proc/self/status')) return null;
  say(`sampler: ${readings} readings, one every ${SHORTEST}`);
  const inputs = { ...connectionInputs(await sink.setUp(NEAR)), 'sample-interval': SHORTEST };
  const step = { action: path.join(PROJECT, 'monitor'), inputs, workspace: temp, temp };
  const { state } = await runStep(step);
  try {
    const pid = samplerOf(state['directory'] ?? '');
    const signal = AbortSignal.timeout(LONGEST_MS);
    while (((await sink.counts()).requests ?? 0) < readings)
      await delay(100, undefined, { signal });
    const peak = highWaterMark(pid);
    if (peak === 0) throw new Error('The sampler ended early');
    return peak;
  } finally {
    await runStep({ ...step, post: { state } });
  }
}

/** The process with the monitor's directory on its command line. */
function samplerOf(directory: string): number {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  const found = pids.find(pid => readProc(`${pid}/cmdline`).split('\0').includes(directory));
  if (directory === '' || found === undefined) throw new Error('The monitor started no sampler');
  return Number(found);
}
