import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  expectFailure,
  expectSuccess,
  uploadPathOf,
  uploadRequests,
} from '../support/run-action.ts';
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

test('a conflict of targets anywhere in the plan fails every shard', async () => {
  await using job = await openJob({ files: { 'x/a.js': '1', 'y/a.js': '2' } });
  for (const shard of ['1/2', '2/2']) {
    const { errors } = await expectFailure(job, { files: 'x/**\ny/**', shard });
    assert.match(errors, /"x\/a\.js".*"y\/a\.js"/);
  }
});
