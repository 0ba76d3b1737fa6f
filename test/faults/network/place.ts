import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { RawInputs } from '../../../src/inputs/parse.ts';
import { parseUpload } from '../../../src/inputs/tasks.ts';
import { type Report, succeeded } from '../../../src/report/report.ts';
import { type Surroundings, withClient } from '../../../src/run/surroundings.ts';
import { reportOn, sendFiles } from '../../../src/run/uploading.ts';
import type { Selection } from '../../../src/upload/selection.ts';
import { openWorld, SANDBOX_ID, TOKEN, type World, type WorldOptions } from '../../action/world.ts';

/** What the runs of these tests take for the current time: whole seconds, as a date in a header is. */
export const NOW = Date.UTC(2031, 4, 6, 7, 8, 9);

/** The content of files by name. */
export type Contents = ReadonlyMap<string, Buffer>;

/** A checkout and a sandbox that can be looked into. */
export interface Place extends AsyncDisposable {
  readonly world: World;
  readonly contents: Contents;
  /** Everything in the user's home, whole or not. */
  readonly stored: () => Contents;
}

/** Makes a place whose checkout holds `contents`, removed when it is disposed of. */
export async function openPlace(contents: Contents, options: WorldOptions = {}): Promise<Place> {
  const root = mkdtempSync(path.join(tmpdir(), 'sandbox-sync-root-'));
  const world = await openWorld({ ...options, root, files: Object.fromEntries(contents) });
  return {
    world,
    contents,
    stored: () => filesIn(path.join(root, 'home/user')),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      rmSync(root, { recursive: true });
    },
  };
}

function filesIn(directory: string): Contents {
  if (!existsSync(directory)) return new Map();
  return new Map(readdirSync(directory).map(name => [name, readFileSync(path.join(directory, name))]));
}

// A request that nothing ends would keep the test for ever; so it fails.
const CANCEL_AFTER_MS = 60_000;

/** How a run in this process ended. */
export interface Run {
  readonly report: Report;
  readonly exitCode: number;
  /** The waits before further attempts, in milliseconds; none of them was waited for. */
  readonly delays: readonly number[];
  /** Attempts of all files together. */
  readonly attempts: number;
}

/** Called in place of each wait, with their number so far and the signal that would end it. */
export type OnWait = (count: number, stop: AbortSignal) => Promise<void> | void;

/** Uploads a place's files in their order. */
export async function drive(place: Place, inputs: RawInputs = {}, onWait: OnWait = () => {}): Promise<Run> {
  const connection = { 'sandbox-id': SANDBOX_ID, token: TOKEN, 'base-url': place.world.agent.url };
  const task = parseUpload({ ...connection, files: '**', timeout: '20s', ...inputs });
  const delays: number[] = [];
  const surroundings: Surroundings = {
    workspace: place.world.workspace,
    userAgent: 'fault-suite',
    cancel: AbortSignal.timeout(CANCEL_AFTER_MS),
    async sleep(ms, stop) {
      delays.push(ms);
      await onWait(delays.length, stop);
      // The others have their turn, as they would in a wait.
      await new Promise(setImmediate);
      stop.throwIfAborted();
    },
    random: () => 0.5,
    now: () => NOW,
    clock: () => performance.now(),
    observer: { planned() {}, waiting() {}, event() {} },
  };
  const plan = planOf(place);
  const report = await withClient(task.connection, task.upload, surroundings, async client => ({
    ...reportOn('upload', plan, task),
    ...(await sendFiles({ selection: plan, state: undefined }, task, client, surroundings)),
  }));
  const attempts = report.files.reduce((sum, file) => sum + ('attempts' in file ? file.attempts : 0), 0);
  return { report, exitCode: succeeded(report) ? 0 : 1, delays, attempts };
}

function planOf({ world, contents }: Place): Selection {
  const workspace = realpathSync.native(world.workspace);
  const files = [...contents].map(([name, { length: size }]) => ({
    source: name,
    realPath: path.join(workspace, name),
    target: name,
    size,
  }));
  return { files, leftOut: [], warnings: [], share: undefined, elsewhere: [], unchanged: new Map() };
}

/** What a result says of one file, in process or in the report file. */
export interface Said {
  readonly name: string;
  readonly status: string;
}

export function saidIn({ report }: Run): Said[] {
  return report.files.map(({ file, status }) => ({ name: file.source, status }));
}

/**
 * Asserts that no planned file is missing from the results, that each one reported as uploaded is in the sandbox byte for
 * byte, and that what is there at most in part is not reported so. With `exactly`, nothing else is in the sandbox.
 */
export function assertNothingLost({ contents, stored }: Place, said: readonly Said[], exactly = false): void {
  assert.deepEqual(said.map(({ name }) => name).sort(), [...contents.keys()].sort());
  const there = stored();
  const uploaded = said.filter(({ status }) => status === 'uploaded').map(({ name }) => name);
  for (const name of uploaded) {
    assert.ok(same(there.get(name), contents.get(name)), `${name} is reported as uploaded and is not there`);
  }
  for (const name of there.keys()) assert.ok(contents.has(name), `${name} was never planned`);
  if (exactly) assert.deepEqual([...there.keys()].sort(), uploaded.sort());
}

function same(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one !== undefined && other !== undefined && one.equals(other);
}
