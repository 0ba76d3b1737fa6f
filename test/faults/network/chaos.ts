import { posix } from 'node:path';
import type { Fault, FaultAction } from '../../../local-agent/faults.ts';
import { type Dice, dice } from './dice.ts';

/** What happens to an attempt, and whether it may be made again after that. */
interface Mishap {
  readonly action: FaultAction;
  readonly leads: 'on' | 'to another' | 'to nothing';
}

/** A file, what befalls its attempts one after the other, and what is to come of it. */
export interface Fate {
  readonly name: string;
  readonly content: Buffer;
  readonly mishaps: readonly Mishap[];
  readonly status: 'uploaded' | 'failed';
  readonly attempts: number;
}

/** So many files of up to 600 KiB, about half of them with faults ahead. */
export function fates(seed: number, count: number, retries: number): Fate[] {
  const random = dice(seed);
  return Array.from({ length: count }, (_, index) => {
    const name = `file ${index}`;
    const mishaps =
      random.next() < 0.5 ? [] : Array.from({ length: 1 + random.below(6) }, () => mishap(random, name));
    return { name, content: content(random), mishaps, ...outcome(mishaps, retries) };
  });
}

/** The fault of each attempt, as rules of the agent. */
export function faultsOf(all: readonly Fate[]): Fault[] {
  return all.flatMap(({ name, mishaps }) =>
    mishaps.map(({ action }) => ({ on: 'upload' as const, path: name, times: 1, do: action })),
  );
}

/** So many faults that befall whatever upload comes, some after others have passed. */
export function strays(seed: number, count: number): Fault[] {
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
  const last = mishaps.findIndex(({ leads }) => leads !== 'to another');
  const attempts = (last === -1 ? mishaps.length : last) + 1;
  if (attempts > retries + 1) return { status: 'failed', attempts: retries + 1 };
  return { status: mishaps[last]?.leads === 'to nothing' ? 'failed' : 'uploaded', attempts };
}

function mishap(random: Dice, name: string): Mishap {
  const kinds: readonly [() => Mishap, ...(() => Mishap)[]] = [
    () => again({ kind: 'status', status: random.oneOf(PASSING), early: random.next() < 0.3, body: 'busy' }),
    () => again({ kind: 'status', status: 429, headers: { 'Retry-After': `${random.below(100)}` } }),
    () => again({ kind: 'reset', at: random.oneOf(['before-body', 'during-body', 'after-body']) }),
    () => again({ kind: 'hang-up', at: random.oneOf(['before-body', 'during-body', 'after-body']) }),
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
        ? fails({ kind: 'answer', body: wrongAnswer(random, name) })
        : again({ kind: 'truncate' }),
  ];
  return random.oneOf(kinds)();
}

const PASSING: readonly [number, ...number[]] = [408, 409, 425, 429, 500, 503, 504];

function again(action: FaultAction): Mishap {
  return { action, leads: 'to another' };
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
