import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Entry } from '../../src/upload/attempt.ts';
import type { PlannedFile } from '../../src/upload/plan.ts';
import { openQueue, type Queue } from '../../src/upload/queue.ts';
import { file } from './transferring.ts';

const MiB = 1024 * 1024;

function sized(sizes: Readonly<Record<string, number>>): PlannedFile[] {
  return Object.entries(sizes).map(([name, size]) => ({ ...file(name), size }));
}

function small(count: number): PlannedFile[] {
  return Array.from({ length: count }, (_, index) => file(`s${index}`));
}

function names(entries: readonly Entry[] = []): string {
  return entries.map(each => each.file.target).join(' ');
}

function open(files: readonly PlannedFile[], perRequest: number): Queue {
  return openQueue(files, { perRequest, inOrder: false });
}

/** All that is sent next, large files being welcome or not. */
function rest(queue: Queue, welcome = true): string[] {
  const batch = queue.next(welcome);
  return batch === undefined ? [] : [names(batch.entries), ...rest(queue, welcome)];
}

describe('large files', () => {
  const files = sized({ a: 1, big: MiB, b: 1, biggest: 3 * MiB, bigger: 2 * MiB, c: 1 });

  test('go first, the largest first, where they are welcome; small ones in plan order', () => {
    assert.deepEqual(rest(open(files, 1)), ['biggest', 'bigger', 'big', 'a', 'b', 'c']);
  });

  test('wait for the small ones where they are not', () => {
    const queue = open(files, 1);
    const small = [1, 2, 3].map(() => names(queue.next(false)?.entries));
    assert.deepEqual(small, ['a', 'b', 'c']);
    assert.equal(queue.isSmallDone(), true);
    assert.deepEqual(rest(queue, false), ['biggest', 'bigger', 'big']);
  });

  test('are those that are streamed', () => {
    const queue = open(sized({ a: 256 * 1024, b: 256 * 1024 + 1 }), 1);
    assert.deepEqual([queue.next(true)?.isLarge, queue.next(true)?.isLarge], [true, false]);
  });

  test('go in plan order too where all do', () => {
    const queue = openQueue(files, { perRequest: 1, inOrder: true });
    assert.deepEqual(rest(queue), ['a', 'big', 'b', 'biggest', 'bigger', 'c']);
  });
});

describe('files that may share a request', () => {
  test('go alone unless asked for', () => {
    const queue = open(small(3), 1);
    assert.deepEqual([queue.trial, rest(queue)], [[], ['s0', 's1', 's2']]);
  });

  test('are tried with two, one in a directory and the smallest', () => {
    const queue = open(sized({ large: MiB, a: 3, b: 200_000, 'in/c': 100_000, d: 2 }), 3);
    assert.equal(names(queue.trial), 'in/c d');
    assert.deepEqual(rest(queue), ['large', 'a b']);
  });

  test('go in as many requests as they need, and alone from when they are told to', () => {
    const [shared, alone] = [open(small(9), 3), open(small(8), 3)];
    assert.deepEqual([names(shared.trial), ...rest(shared)], ['s0 s1', 's2 s3 s4', 's5 s6 s7', 's8']);
    assert.equal(names(alone.next(true)?.entries), 's2 s3 s4');
    alone.stopSharing();
    assert.deepEqual(rest(alone), ['s5', 's6', 's7']);
  });

  test('fill a request up to 1 MiB, what is round them included', () => {
    const queue = open(sized({ a: 1, b: 2, c: 262_000, d: 262_000, e: 262_000, f: 262_000, g: 262_144 }), 10);
    assert.deepEqual([names(queue.trial), ...rest(queue)], ['a b', 'c d e', 'f g']);
  });

  test('do not include those whose names do not survive', () => {
    const queue = open(sized({ a: 1, b: 1, ü: 1, c: 1, 'd"': 1 }), 10);
    assert.deepEqual([names(queue.trial), ...rest(queue)], ['a b', 'ü', 'c', 'd"']);
  });

  test('are not tried where there is only one', () => {
    const queue = open(sized({ a: 1, ü: 1, large: MiB }), 10);
    assert.deepEqual([queue.trial, rest(queue)], [[], ['large', 'a', 'ü']]);
  });
});

test('every file is sent once, whatever is welcome when', () => {
  const sizes = fc.array(fc.oneof(fc.nat(1000), fc.nat(MiB)), { maxLength: 40 });
  const dice = fc.infiniteStream(fc.boolean());
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 6 }), fc.boolean(), dice, (all, perRequest, inOrder, welcome) => {
      const files = sized(Object.fromEntries(all.map((size, index) => [`f${index}`, size])));
      const queue = openQueue(files, { perRequest, inOrder });
      const sent = queue.trial.map(({ index }) => index);
      for (;;) {
        const batch = queue.next(welcome.next().value ?? true);
        if (batch === undefined) break;
        sent.push(...batch.entries.map(({ index }) => index));
      }
      sent.sort((a, b) => a - b);
      assert.deepEqual(sent, [...files.keys()]);
    }),
  );
});
