import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openWorld, runMeasured } from '../../action/harness.ts';
import { contents } from './sandbox.ts';

const COUNT = 100_000;
const FEW = 1000;
// Includes garbage, which V8 is slow to collect.
const MAX_GROWTH = 10 * 1024;

test(`${COUNT} files of one byte or none arrive, in bounded memory for each`, async t => {
  const growth = ((await peakWith(COUNT)) - (await peakWith(FEW))) / (COUNT - FEW);
  t.diagnostic(`${Math.round(growth)} bytes a file`);
  assert.ok(growth < MAX_GROWTH, `${growth} bytes a file`);
});

/** Peak memory of an upload of so many files, in bytes. */
async function peakWith(count: number): Promise<number> {
  await using world = await openWorld({ files: {}, record: false });
  for (let index = 0; index < count; index += 1) {
    const directory = path.join(world.workspace, `d${Math.floor(index / 1000)}`);
    if (index % 1000 === 0) mkdirSync(directory);
    writeFileSync(path.join(directory, `f${index}`), index % 2 === 0 ? '' : 'x');
  }
  const { outputs, peak } = await runMeasured(world, {}, { killAfterMs: 600_000 });
  assert.equal(outputs['uploaded-count'], String(count));
  const sizes = [...contents(world).values()].map(({ length }) => length);
  assert.deepEqual([sizes.length, sizes.filter(length => length === 1).length], [count, count / 2]);
  return peak;
}
