import assert from 'node:assert/strict';
import { posix } from 'node:path';
import type { Fault, FaultAction } from '../../../dev/agent/faults.ts';
import {
  openWorld,
  type ReportedFile,
  runAction,
  runBadly,
  uploads,
  type World,
} from '../../action/harness.ts';
import { type Dice, dice } from './dice.ts';

/** A fault of an attempt, and whether another attempt follows. */
interface Mishap {
  readonly action: FaultAction;
  readonly leads: 'on' | 'to another' | 'to another if it is the first' | 'to nothing';
}

/** A file, the faults of its attempts, and its expected end. */
interface Fate {
  readonly name: string;
  readonly content: Buffer;
  readonly mishaps: readonly Mishap[];
  readonly status: 'uploaded' | 'failed';
  readonly attempts: number;
}

const RETRIES = 3;

/**
 * Uploads files with a planned fate each. Asserts that each meets its fate and that nothing is
 * lost.
 */
export async function chaos(seed: number, count: number): Promise<void> {
  const planned = fates(seed, count, RETRIES);
  await using world = await openWith(planned, faultsOf(planned));
  const { report } = await runBadly(
    world,
    { retries: `${RETRIES}`, concurrency: '40' },
    { task: 'upload' },
  );
  const met = new Map(
    report.files.map(({ source, status, attempts }) => [source, [status, attempts]]),
  );
  assert.deepEqual(
    met,
    new Map(planned.map(({ name, status, attempts }) => [name, [status, attempts]])),
  );
  assertThere(world, planned, report.files);
  assert.equal(
    uploads(world).length,
    planned.reduce((sum, { attempts }) => sum + attempts, 0),
  );
  assert.ok(world.agent.maxInFlight <= 40);
}

/** Uploads files in E2B's default batches, with faults. Asserts that nothing is lost. */
export async function batchChaos(seed: number, count: number): Promise<void> {
  const planned = fates(seed, count, RETRIES);
  await using world = await openWith(planned, strays(seed, 20), 'E2b');
  const concurrency = seed % 2 === 0 ? 'auto' : '10';
  const inputs = { retries: `${RETRIES}`, concurrency, 'header-prefix': 'E2b' };
  const { report } = await runAction(world, inputs, { task: 'upload' });
  assert.equal(report.files.length, count);
  assertThere(world, planned, report.files);
  assert.ok(uploads(world).length < count * 2, `${uploads(world).length} requests`);
}

function openWith(
  planned: readonly Fate[],
  faults: readonly Fault[],
  headerPrefix = 'Svc',
): Promise<World> {
  return openWorld({
    files: Object.fromEntries(planned.map(({ name, content: bytes }) => [name, bytes])),
    faults,
    headerPrefix,
  });
}

function assertThere(world: World, planned: readonly Fate[], files: readonly ReportedFile[]): void {
  const contents = new Map(planned.map(fate => [fate.name, fate.content]));
  for (const { source, status } of files) {
    if (status === 'uploaded')
      assert.ok(contents.get(source)?.equals(world.stored(source)), source);
    else assert.equal(status, 'failed');
  }
}

/** Files of up to 600 KiB, about half of them with faults. */
function fates(seed: number, count: number, retries: number): Fate[] {
  const random = dice(seed);
  return Array.from({ length: count }, (_, index) => {
    const name = `file ${index}`;
    const mishaps =
      random.next() < 0.5
        ? []
        : Array.from({ length: 1 + random.below(6) }, () => mishap(random, name));
    return { name, content: content(random), mishaps, ...outcome(mishaps, retries) };
  });
}

/** The fault of each attempt as rules of the agent. */
function faultsOf(all: readonly Fate[]): Fault[] {
  return all.flatMap(({ name, mishaps }) =>
    mishaps.map(({ action }) => ({ on: 'upload' as const, path: name, times: 1, do: action })),
  );
}

/** Faults that hit any upload, some after others have passed. */
function strays(seed: number, count: number): Fault[] {
  const random = dice(seed);
  return Array.from({ length: count }, () => ({
    on: 'upload' as const,
    skip: random.below(25),
    times: 1,
    do: mishap(random, `file ${random.below(count)}`).action,
  }));
}

/** Most files are small. */
function content(random: Dice): Buffer {
  const size = random.oneOf([
    () => 0,
    () => 1,
    () => random.below(4096),
    () => random.below(600 * 1024 + 1),
  ])();
  return Buffer.alloc(size, String(random.next()));
}

function outcome(mishaps: readonly Mishap[], retries: number): Pick<Fate, 'status' | 'attempts'> {
  const isRetried = ({ leads }: Mishap, index: number) =>
    leads === 'to another' || (leads === 'to another if it is the first' && index === 0);
  const last = mishaps.findIndex((each, index) => !isRetried(each, index));
  const attempts = (last === -1 ? mishaps.length : last) + 1;
  if (attempts > retries + 1) return { status: 'failed', attempts: retries + 1 };
  const leads = mishaps[last]?.leads ?? 'on';
  return { status: leads === 'on' ? 'uploaded' : 'failed', attempts };
}

function mishap(random: Dice, name: string): Mishap {
  const kinds: readonly [() => Mishap, ...(() => Mishap)[]] = [
    () =>
      again({
        kind: 'status',
        status: random.oneOf(PASSING),
        early: random.next() < 0.3,
        body: 'busy',
      }),
    () => again({ kind: 'status', status: 429, headers: { 'Retry-After': `${random.below(2)}` } }),
    () => again({ kind: 'reset', at: random.oneOf(['before-body', 'during-body', 'after-body']) }),
    () =>
      again({ kind: 'hang-up', at: random.oneOf(['before-body', 'during-body', 'after-body']) }),
    () => again({ kind: 'truncate' }),
    () => ({ action: { kind: 'delay', ms: 1 + random.below(5) }, leads: 'on' }),
    () =>
      again({
        kind: 'status',
        status: 502,
        body: '{"message":"The sandbox is running but port is not open"}',
      }),
    () =>
      random.next() < 0.3
        ? fails({ kind: 'status', status: random.oneOf([400, 404, 413, 418]) })
        : again({ kind: 'reset', at: 'after-body' }),
    () =>
      random.next() < 0.3
        ? unusable({ kind: 'answer', body: wrongAnswer(random, name) })
        : again({ kind: 'truncate' }),
  ];
  return random.oneOf(kinds)();
}

const PASSING: readonly [number, ...number[]] = [408, 409, 425, 429, 500, 503, 504];

function again(action: FaultAction): Mishap {
  return { action, leads: 'to another' };
}

/** The answer may have been meant for an earlier request; a new connection shows that. */
function unusable(action: FaultAction): Mishap {
  return { action, leads: 'to another if it is the first' };
}

function fails(action: FaultAction): Mishap {
  return { action, leads: 'to nothing' };
}

function wrongAnswer(random: Dice, name: string): string {
  const entry = { path: `/home/user/${name}`, name: posix.basename(name), type: 'file' };
  const right = JSON.stringify([entry]);
  return random.oneOf<string>([
    right.slice(0, random.below(right.length)),
    JSON.stringify([]),
    JSON.stringify([entry, entry]),
    JSON.stringify([{ ...entry, type: 'dir' }]),
    JSON.stringify([{ ...entry, name: `${entry.name}0` }]),
    JSON.stringify([{ ...entry, path: 7 }]),
    '<!doctype html><title>Welcome</title>',
    'null',
    '42',
  ]);
}
