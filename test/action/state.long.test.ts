import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWorld } from './harness.ts';
import { known, runWellWith } from './state.ts';

test('a state file of 20,000 rows is written, read and compared faster than they are sent', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [
      `d${index % 100}/f${index}.txt`,
      `content ${index}`,
    ]),
  );
  await using world = await openWorld({ files, record: false });
  const timed = async () => {
    const start = performance.now();
    const { outputs } = await runWellWith(world, {}, { killAfterMs: 300_000 });
    return { outputs, durationMs: performance.now() - start };
  };
  const first = await timed();
  world.write({ 'new.txt': 'new' });
  const { outputs, durationMs } = await timed();
  assert.deepEqual([outputs['uploaded-count'], outputs['unchanged-count']], ['1', '20000']);
  assert.equal(known(world).length, 20_001);
  assert.ok(durationMs < first.durationMs, `${durationMs} and ${first.durationMs} ms`);
});
