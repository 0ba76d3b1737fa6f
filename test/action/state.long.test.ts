import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWorld } from './harness.ts';
import { known, runWellWith } from './state.ts';

test('a state of 20,000 files is written, read and compared in seconds', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`d${index % 100}/f${index}.txt`, `content ${index}`]),
  );
  await using world = await openWorld({ files });
  await runWellWith(world);
  world.write({ 'new.txt': 'new' });
  const start = performance.now();
  const { outputs } = await runWellWith(world);
  assert.deepEqual([outputs['uploaded-count'], outputs['unchanged-count']], ['1', '20000']);
  assert.equal(known(world).length, 20_001);
  // A fraction of this, where the machine has nothing else to do.
  assert.ok(performance.now() - start < 30_000);
});
