import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { canBeNamed } from '../system.ts';
import { statusFault } from './faults.ts';
import { assertDelivered } from './result.ts';
import { expectFailure, expectSuccess, uploadPathOf, uploadRequests } from './run-action.ts';
import { fileEntry } from './scripted-agent.ts';
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

test('a batch that is rejected or stored elsewhere ends the transfer and removes the state file', async () => {
  await using job = await openJob({ files: { a: 'a', b: 'b', c: 'c', d: 'd' } });
  const batching = { 'files-per-request': '2', concurrency: '1', retries: '0' };
  const inputs = { target: 'app', 'state-file': '.state.json', ...batching };
  await expectSuccess(job, inputs);
  job.write({ a: 'A', b: 'B', c: 'C' });
  // Some agents drop the folders of filenames, and store files in the home directory.
  const elsewhere = JSON.stringify(['a', 'b'].map(name => fileEntry(name)));
  for (const [fault, last] of [
    [statusFault(200, elsewhere), 'unchanged'],
    [statusFault(400, '{"message":"you cannot upload multiple files"}'), 'not-attempted'],
  ] as const) {
    job.addFaults({ on: 'upload', times: 1, do: fault });
    const before = uploadRequests(job).length;
    const { report, errors } = await expectFailure(job, inputs);
    const statuses = report.files.map(({ status }) => status);
    assert.deepEqual(statuses, ['failed', 'failed', 'not-attempted', last]);
    assert.equal(uploadRequests(job).length, before + 1);
    assert.match(errors, /files-per-request: 1/);
    assert.equal(existsSync(path.join(job.workspace, '.state.json')), false);
  }
});
