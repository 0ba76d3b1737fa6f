import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, uploadPathOf, uploadRequests } from '../support/run-action.ts';
import { manyFiles, openJob } from '../support/test-job.ts';

test('shards together send every file once, even if their builds differ in content', async () => {
  const files = { 'large.bin': '', ...manyFiles(30) };
  await using job = await openJob({ files });
  for (const index of [1, 2, 3]) {
    job.write({ 'large.bin': 'x'.repeat(5000 + index), 'f7.txt': 'y'.repeat(index) });
    const { report, summary } = await expectSuccess(job, { shard: `${index}/3` });
    assert.deepEqual(report.upload.shard, { index, count: 3, allFiles: 31 });
    for (const text of [report.headline, summary])
      assert.ok(text.includes(`shard ${index} of 3`), text);
  }
  assert.deepEqual(uploadRequests(job).map(uploadPathOf).toSorted(), Object.keys(files).toSorted());
});
