import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { formatBytes, formatNumber } from '../../src/text/format.ts';
import type { Kind } from './contenders/contender.ts';
import { NEAR, type Place } from './places.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** Files to upload, where, and how often. */
export interface Workload {
  readonly name: string;
  /** The size of each file, in bytes. */
  readonly sizes: readonly number[];
  /** Where they go; each place is measured. */
  readonly places: readonly Place[];
  readonly rounds: number;
  /** The kinds of contenders to compare. */
  readonly kinds: readonly Kind[];
}

const SMALL: readonly Kind[] = ['action', 'curl -Z', 'curl -Z h2', 'e2b one', 'e2b list'];
const LARGE: readonly Kind[] = ['action', 'curl -Z', 'curl -Z h2', 'e2b one', 'e2b stream'];

const TLS: Place = { ...NEAR, tls: true };
const AGENT: Place = { ...NEAR, server: 'agent' };
const DISTANT = [20, 100].map(latencyMs => ({ ...NEAR, latencyMs }));

/** The workloads. A quick run has hardly any files. */
export function workloads(quick: boolean): readonly Workload[] {
  const few = (count: number) => (quick ? count / 100 : count);
  const most = quick ? 64 * KIB : 16 * MIB;
  const gibibyte = quick ? MIB : GIB;
  const once = { places: [NEAR], rounds: 3 };
  const distant = quick ? DISTANT.slice(0, 1) : DISTANT;
  return [
    {
      name: 'small',
      rounds: 5,
      kinds: [...SMALL, 'curl loop'],
      sizes: same(few(2000), 4 * KIB),
      places: [NEAR, ...distant, ...distant.map(place => ({ ...place, tls: true })), AGENT],
    },
    { ...once, name: 'many', rounds: 5, sizes: same(few(20_000), KIB), kinds: SMALL },
    {
      ...once,
      name: 'mixed',
      sizes: mixed(few(500), most),
      kinds: [...LARGE, 'e2b list'],
      places: [NEAR, AGENT],
    },
    {
      ...once,
      name: 'uplink',
      sizes: mixed(few(500), quick ? 64 * KIB : MIB),
      kinds: [...LARGE, 'e2b list'],
      places: [{ ...NEAR, megabits: 100 }],
    },
    { ...once, name: 'large', sizes: [gibibyte], kinds: LARGE, places: [NEAR, TLS] },
    { ...once, name: 'huge', sizes: [4 * gibibyte], kinds: ['action'] },
  ];
}

/** A workload in words. */
export function titleOf({ sizes }: Workload): string {
  const [smallest, largest] = [Math.min(...sizes), Math.max(...sizes)].map(formatBytes);
  const count = formatNumber(sizes.length);
  return smallest === largest ? `${count} × ${smallest}` : `${count} × ${smallest} to ${largest}`;
}

/** Writes files below a folder, a hundred per directory, and returns their paths below it. */
export function writeFiles(folder: string, sizes: readonly number[]): string[] {
  const content = noise(MIB);
  return sizes.map((size, index) => {
    const name = `directory-${Math.floor(index / 100)}/file-${index}.bin`;
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    const file = openSync(path.join(folder, name), 'w');
    for (let left = size; left > 0; left -= content.length)
      writeSync(file, content, 0, Math.min(left, content.length));
    closeSync(file);
    return name;
  });
}

function same(count: number, bytes: number): number[] {
  return Array.from({ length: count }, () => bytes);
}

/** Shuffled sizes from 1 KiB to the largest, equally many of each order of magnitude. */
function mixed(count: number, largest: number): number[] {
  const steps = Math.log(largest / KIB);
  return Array.from({ length: count }, (_, index) => {
    // 7919 is coprime to the counts in use, so each rank occurs once.
    const rank = (index * 7919) % count;
    return Math.round(KIB * Math.exp((steps * rank) / (count - 1)));
  });
}

/** Pseudorandom bytes, the same in every run (a linear congruential generator). */
function noise(length: number): Buffer {
  const words = new Uint32Array(length / 4);
  let word = 1;
  for (let index = 0; index < words.length; index += 1) {
    word = (Math.imul(word, 1664525) + 1013904223) >>> 0;
    words[index] = word;
  }
  return Buffer.from(words.buffer);
}
