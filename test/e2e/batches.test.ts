import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canBeNamed } from '../system.ts';
import { assertDelivered } from './result.ts';
import { expectSuccess, uploadPathOf, uploadRequests } from './run-action.ts';
import { type Files, manyFiles, openJob } from './test-job.ts';

test('a batch stores small files at their targets; large and oddly named files are sent alone', async () => {
  const small = { ...manyFiles(100), 'deep/er/index.html': 'one', 'deep/index.html': 'two' };
  const odd = ['a"b', 'a\\b', 'ü', 'a;b', 'a%41', 'a\nb'].filter(canBeNamed);
  const alone: Files = {
    ...Object.fromEntries(odd.map(name => [name, name])),
    large: 'x'.repeat(300_000),
  };
  await using job = await openJob({ files: { ...small, ...alone } });
  const batching = { 'files-per-request': '50', concurrency: '4' };
  const result = await expectSuccess(job, { target: '/srv/app', username: 'root', ...batching });
  const { files } = result.report;
  assert.equal(files.length, Object.keys({ ...small, ...alone }).length);
  for (const { source, path: stored } of files) assert.equal(stored, `/srv/app/${source}`);
  assertDelivered(job, result);
  const requests = uploadRequests(job);
  const batches = requests.filter(({ url }) => url.startsWith('/files?username=root'));
  const single = requests.filter(({ url }) => url.startsWith('/files?path='));
  assert.equal(batches.length, 3);
  const expected = Object.keys(alone).map(name => `/srv/app/${name}`);
  assert.deepEqual(single.map(uploadPathOf).toSorted(), expected.toSorted());
});
