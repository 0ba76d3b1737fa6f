import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openWorld, runBadly } from './harness.ts';

suite('the summary', { concurrency: 2 }, () => {
  test('tells of failures with their reasons, and of what was left undone', async () => {
    await using world = await openWorld({
      files: { 'a.txt': 'a', 'b.txt': 'b' },
      faults: [{ on: 'upload', path: 'a.txt', do: { kind: 'status', status: 413 } }],
    });
    const { summary } = await runBadly(world);
    assert.match(summary, /^<h3>❌ 1 of 2 files arrived, 1 failed\./);
    assert.match(summary, /What failed[\s\S]*answered 413[\s\S]*limits the size[\s\S]*a\.txt/);
  });

  test('is not written with summary at false, where inputs are wrong too', async () => {
    await using world = await openWorld();
    const bad = await runBadly(world, { summary: 'False', port: 'x' });
    assert.equal(bad.summary, '');
  });
});
