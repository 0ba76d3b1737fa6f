import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type Files,
  type Inputs,
  openWorld,
  type Result,
  type RunOptions,
  runAction,
} from '../../action/harness.ts';
import { checkHarmless } from './checks.ts';
import { type Hostile, type HostileOptions, openHostile, type Talk } from './hostile.ts';

/** Attempts wait for nothing but `timeout`, a few times at most. */
const LONGEST_MS = 30_000;

export const MAX_MEMORY = 160 * 1024 * 1024;

/** Makes a process write down its peak memory. */
export const PEAK_MEMORY = import.meta.resolve('../../action/peak-memory.js');

export interface Ended {
  readonly result: Result;
  readonly hostile: Hostile;
  /** Peak memory in bytes. */
  readonly peak: number;
}

export interface HostileRun extends HostileOptions, RunOptions {
  readonly files?: Files;
  readonly inputs?: Inputs;
  /** The longest the run may take, in milliseconds. Default 30 s. */
  readonly longestMs?: number;
}

/**
 * Runs the action against a hostile server, one attempt per request, and checks that only a report
 * came of it.
 */
export async function runAgainst({
  files,
  inputs,
  env,
  longestMs = LONGEST_MS,
  ...options
}: HostileRun): Promise<Ended> {
  await using hostile = await openHostile(options);
  await using world = await openWorld(files === undefined ? {} : { files });
  const file = path.join(world.outside, 'peak');
  const start = performance.now();
  const { task, onRequest } = options;
  const result = await runAction(
    world,
    { 'base-url': hostile.url, retries: '0', ...inputs },
    {
      ...(task === undefined ? {} : { task }),
      ...(onRequest === undefined ? {} : { onRequest }),
      killAfterMs: longestMs * 2,
      env: { NODE_OPTIONS: `--import=${PEAK_MEMORY}`, PEAK_MEMORY_FILE: file, ...env },
    },
  );
  const took = performance.now() - start;
  assert.ok(took < longestMs, `it took ${took} ms`);
  checkHarmless(result);
  return { result, hostile, peak: Number(readFileSync(file, 'utf8')) };
}

/** Uploads one file per talk in one run. Asserts that each fails with this kind. */
export async function eachFailsAs(
  kinds: RegExp,
  uploads: Readonly<Record<string, Talk>>,
  { size = 4, ...run }: HostileRun & { readonly size?: number } = {},
): Promise<Ended> {
  const names = Object.keys(uploads);
  const files = Object.fromEntries(names.map(name => [name, Buffer.alloc(size)]));
  const ended = await runAgainst({ files, uploads, ...run });
  const { result } = ended;
  assert.equal(result.exitCode, 1, result.stdout);
  for (const name of names) assert.match(result.file(name).error?.kind ?? 'none', kinds, name);
  assert.deepEqual([result.outputs['uploaded-count'], result.outputs['uploaded']], ['0', '[]']);
  return ended;
}

/** Asserts that the upload of the only file fails with this kind. */
export async function failsAs(kind: RegExp, run: HostileRun): Promise<Ended> {
  const ended = await runAgainst(run);
  const { result } = ended;
  assert.equal(result.exitCode, 1, result.stdout);
  assert.match(result.file('a.txt').error?.kind ?? 'none', kind, result.stdout);
  assert.ok(result.annotations('error').length > 0);
  return ended;
}
