import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, uploadPathOf, uploadRequests } from './run-action.ts';
import { manyFiles, openJob } from './test-job.ts';

test('shards together send every file once, even if their builds differ in content', async () => {
  const files = { 'large.bin': 'x'.repeat(5000), ...manyFiles(30) };
  await using job = await openJob({ files });
  let sum = 0;
  for (const index of [1, 2, 3]) {
    job.write({ 'large.bin': 'x'.repeat(5000 + index), 'f7.txt': 'y'.repeat(index) });
    const inputs = { shard: `${index}/3` };
    const { stdout, outputs, report, summary } = await expectSuccess(job, inputs);
    assert.match(stdout, RegExp(`shard ${index} of 3: ${outputs['uploaded-count']} of 31 files`));
    for (const text of [report.headline, summary])
      assert.ok(text.includes(`shard ${index} of 3`), text);
    sum += Number(outputs['uploaded-count']);
  }
  assert.equal(sum, 31);
  assert.deepEqual(uploadRequests(job).map(uploadPathOf).toSorted(), Object.keys(files).toSorted());
});
