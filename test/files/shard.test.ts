import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { filesOfShard, type PlannedFile } from '../../src/files/plan.ts';
import { plannedFile } from '../transfer/simulated-transfer.ts';

const FILE = fc.string({ unit: 'grapheme', minLength: 1 }).map(target => plannedFile(target));
const PLAN = fc.uniqueArray(FILE, { selector: ({ target }) => target, maxLength: 60 });
const COUNT = fc.integer({ min: 1, max: 40 });

function allShards(plan: readonly PlannedFile[], count: number): PlannedFile[][] {
  return Array.from({ length: count }, (_, index) =>
    filesOfShard(plan, { index: index + 1, count }),
  );
}

test('the shard of a file depends only on its target', () => {
  fc.assert(
    fc.property(PLAN, PLAN, COUNT, (plan, others, count) => {
      const targets = new Set(plan.map(({ target }) => target));
      const more = [...others.filter(({ target }) => !targets.has(target)), ...plan.toReversed()];
      for (const [index, shard] of allShards(more, count).entries())
        for (const file of filesOfShard(plan, { index: index + 1, count }))
          assert.ok(shard.some(({ target }) => target === file.target));
    }),
  );
});

test('shards have about the same number of files', () => {
  const plan = Array.from({ length: 1000 }, (_, index) => plannedFile(`dist/f${index}.js`));
  for (const shard of allShards(plan, 4)) assert.ok(shard.length > 200 && shard.length < 300);
});
