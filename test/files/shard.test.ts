import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { shardOf } from '../../src/files/plan.ts';

interface Target {
  readonly target: string;
}

const FILE = fc.record({ target: fc.string({ unit: 'grapheme', minLength: 1 }) });
const PLAN = fc.uniqueArray(FILE, { selector: ({ target }) => target, maxLength: 60 });
const COUNT = fc.integer({ min: 1, max: 40 });

function sharesOf(plan: readonly Target[], count: number): Target[][] {
  return Array.from({ length: count }, (_, index) => shardOf(plan, { index: index + 1, count }));
}

test('the shard of a file depends on its target only', () => {
  fc.assert(
    fc.property(PLAN, PLAN, COUNT, (plan, others, count) => {
      const targets = new Set(plan.map(({ target }) => target));
      const more = [...others.filter(({ target }) => !targets.has(target)), ...plan.toReversed()];
      for (const [index, share] of sharesOf(more, count).entries())
        for (const file of shardOf(plan, { index: index + 1, count }))
          assert.ok(share.some(({ target }) => target === file.target));
    }),
  );
});

test('many files are spread over all shards', () => {
  const plan = Array.from({ length: 1000 }, (_, index) => ({ target: `dist/f${index}.js` }));
  for (const share of sharesOf(plan, 4)) assert.ok(share.length > 200 && share.length < 300);
});
