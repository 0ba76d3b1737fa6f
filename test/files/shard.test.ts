import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { shardOf } from '../../src/files/plan.ts';

interface Sized {
  readonly target: string;
  readonly size: number;
}

const SIZE = fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 5000 }), fc.nat({ max: 2 ** 40 }));
const FILE = fc.record({ target: fc.string({ unit: 'grapheme', minLength: 1 }), size: SIZE });
const PLAN = fc.uniqueArray(FILE, { selector: ({ target }) => target, maxLength: 60 });
const COUNT = fc.integer({ min: 1, max: 40 });

function sharesOf(plan: readonly Sized[], count: number): Sized[][] {
  return Array.from({ length: count }, (_, index) => shardOf(plan, { index: index + 1, count }));
}

// A file's size plus the cost of a request.
const weightOf = ({ size }: Sized) => size + 1024;

function weigh(files: readonly Sized[]): number {
  return files.reduce((sum, file) => sum + weightOf(file), 0);
}

describe('for any plan and any number of shards', () => {
  test('the shares are disjoint and make up the plan, each in plan order', () => {
    fc.assert(
      fc.property(PLAN, COUNT, (plan, count) => {
        const shares = sharesOf(plan, count);
        const all = shares.flat();
        assert.equal(all.length, plan.length);
        assert.deepEqual(new Set(all), new Set(plan));
        for (const share of shares) {
          const inOrder = plan.filter(file => share.includes(file));
          assert.deepEqual(share, inOrder);
        }
      }),
    );
  });

  test('no two shares differ by more than the heaviest file', () => {
    fc.assert(
      fc.property(PLAN, COUNT, (plan, count) => {
        const weights = sharesOf(plan, count).map(weigh);
        const heaviest = Math.max(0, ...plan.map(weightOf));
        assert.ok(Math.max(...weights) - Math.min(...weights) <= heaviest);
      }),
    );
  });

  test('the order in which files are found makes no difference', () => {
    const targets = (files: readonly Sized[], count: number) =>
      sharesOf(files, count).map(share => share.map(({ target }) => target).toSorted());
    fc.assert(
      fc.property(PLAN, COUNT, (plan, count) => {
        const sorted = plan.toSorted((a, b) => (a.target < b.target ? -1 : 1));
        for (const other of [sorted, plan.toReversed()])
          assert.deepEqual(targets(other, count), targets(plan, count));
      }),
    );
  });
});

test('empty files are dealt out by their number', () => {
  const plan = Array.from({ length: 1000 }, (_, index) => ({ target: `f${index}`, size: 0 }));
  const counts = sharesOf(plan, 4).map(share => share.length);
  assert.deepEqual(counts, [250, 250, 250, 250]);
});

test('files of one size are told apart by code units, not by the language of the machine', () => {
  const plan = ['ä', 'z', 'Z', '😀', '\uffff'].map(target => ({ target, size: 1 }));
  const first = sharesOf(plan, 5).map(([file]) => file?.target);
  assert.deepEqual(first, ['Z', 'z', 'ä', '😀', '\uffff']);
});
