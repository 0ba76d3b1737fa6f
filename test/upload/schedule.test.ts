import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { PlannedFile } from '../../src/upload/plan.ts';
import { type Entry, openSchedule, type Schedule } from '../../src/upload/schedule.ts';

const MiB = 1024 * 1024;
const TAKEN = { again: [], refused: false };

function sized(sizes: Readonly<Record<string, number>>): PlannedFile[] {
  return Object.entries(sizes).map(([name, size]) => ({
    source: name,
    realPath: `/${name}`,
    target: name,
    size,
  }));
}

function small(count: number): PlannedFile[] {
  return sized(Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, 100])));
}

function names(entries: readonly Entry[] | undefined): string {
  return (entries ?? []).map(({ file }) => file.target).join(' ');
}

function open(files: readonly PlannedFile[], perRequest: number): Schedule {
  return openSchedule(files, { perRequest, lanes: 4 });
}

/** What is sent next, so many times, with nothing ending in between. */
function take(schedule: Schedule, count: number, lanes = 100): string[] {
  return Array.from({ length: count }, () => names(schedule.next(lanes)));
}

describe('large files', () => {
  const files = sized({ a: 1, big: MiB, b: 1, biggest: 3 * MiB, bigger: 2 * MiB, c: 1 });

  test('begin at once, the largest first, while half of the lanes is left to small ones in plan order', () => {
    assert.deepEqual(take(open(files, 1), 6, 4), ['biggest', 'bigger', 'a', 'b', 'c', 'big']);
  });

  test('take another lane when one of them has ended', () => {
    const schedule = open(files, 1);
    const [first] = [schedule.next(2), schedule.next(2)];
    schedule.ended(first ?? [], TAKEN);
    assert.deepEqual(take(schedule, 1, 2), ['bigger']);
  });

  test('wait for their turn in a single lane', () => {
    const schedule = openSchedule(files, { perRequest: 1, lanes: 1 });
    assert.deepEqual(take(schedule, 6, 1), ['a', 'big', 'b', 'biggest', 'bigger', 'c']);
  });

  test('take every lane when no small ones are left', () => {
    const large = sized({ a: 1, b: MiB, c: MiB, d: MiB });
    assert.deepEqual(take(open(large, 1), 5, 2), ['b', 'a', 'c', 'd', '']);
  });
});

describe('files that may share a request', () => {
  test('go alone unless asked for', () => {
    assert.deepEqual(take(open(small(3), 1), 4), ['s0', 's1', 's2', '']);
  });

  test('wait for the first of these requests to succeed', () => {
    const schedule = open(small(9), 3);
    const first = schedule.next(10);
    assert.equal(names(first), 's0 s1');
    assert.deepEqual(take(schedule, 2), ['', '']);
    schedule.ended(first ?? [], TAKEN);
    assert.deepEqual(take(schedule, 4), ['s2 s3 s4', 's5 s6 s7', 's8', '']);
  });

  test('begin with one in a directory and the smallest, before the large ones', () => {
    const schedule = open(sized({ large: MiB, a: 3, b: 200_000, 'in/c': 100_000, d: 2 }), 3);
    const first = schedule.next(10) ?? [];
    assert.equal(names(first), 'in/c d');
    schedule.ended(first, TAKEN);
    assert.deepEqual(take(schedule, 3), ['large', 'a b', '']);
  });

  test('go alone where the first of these requests lacked one of its files', () => {
    const schedule = open(small(6), 3);
    const first = schedule.next(10) ?? [];
    schedule.ended(first, { again: first.slice(1), refused: false });
    assert.deepEqual(take(schedule, 6), ['s1', 's2', 's3', 's4', 's5', '']);
  });

  test('go alone for ever after one of these requests was refused, first what it brought', () => {
    const schedule = open(small(6), 3);
    const first = schedule.next(10) ?? [];
    schedule.ended(first, { again: first.slice(1), refused: true });
    assert.deepEqual(take(schedule, 6), ['s1', 's2', 's3', 's4', 's5', '']);
  });

  test('go on together where one of them could not be sent', () => {
    const schedule = open(small(9), 3);
    schedule.ended(schedule.next(10) ?? [], TAKEN);
    const second = schedule.next(10) ?? [];
    schedule.ended(second, { again: second.slice(2), refused: false });
    assert.deepEqual(take(schedule, 4), ['s4', 's5 s6 s7', 's8', '']);
  });

  test('fill a request up to 1 MiB, what is round them included', () => {
    const files = sized({ a: 1, b: 2, c: 262_000, d: 262_000, e: 262_000, f: 262_000, g: 262_144 });
    const schedule = open(files, 10);
    const first = schedule.next(10) ?? [];
    schedule.ended(first, TAKEN);
    assert.deepEqual([names(first), ...take(schedule, 3)], ['a b', 'c d e', 'f g', '']);
  });

  test('do not include those whose names do not survive', () => {
    const schedule = open(sized({ a: 1, b: 1, ü: 1, c: 1, 'd"': 1 }), 10);
    const first = schedule.next(10) ?? [];
    schedule.ended(first, TAKEN);
    assert.deepEqual([names(first), ...take(schedule, 4)], ['a b', 'ü', 'c', 'd"', '']);
  });
});

test('every file is sent once, whatever ends when', () => {
  const sizes = fc.array(fc.oneof(fc.nat(1000), fc.nat(MiB)), { maxLength: 40 });
  fc.assert(
    fc.property(
      sizes,
      fc.nat(5),
      fc.integer({ min: 1, max: 6 }),
      fc.infiniteStream(fc.nat(2)),
      (all, per, lanes, dice) => {
        const files = sized(Object.fromEntries(all.map((size, index) => [`f${index}`, size])));
        const schedule = open(files, per + 1);
        const sent: number[] = [];
        const running: (readonly Entry[])[] = [];
        for (;;) {
          const entries = running.length < lanes ? schedule.next(lanes) : undefined;
          if (entries !== undefined) running.push(entries);
          else if (running.length === 0) break;
          if (entries !== undefined && dice.next().value !== 0) continue;
          const ended = running.shift() ?? [];
          sent.push(...ended.map(({ index }) => index));
          schedule.ended(ended, TAKEN);
        }
        assert.deepEqual(
          sent.sort((a, b) => a - b),
          files.map((_, index) => index),
        );
      },
    ),
  );
});
