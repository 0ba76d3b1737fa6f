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

test('a batch stores small files where they would arrive alone; large and oddly named ones are sent alone', async () => {
  const together: Files = {
    ...manyFiles(100),
    'deep/er/index.html': 'one',
    'deep/index.html': 'two',
  };
  const odd = ['a"b', 'a\\b', 'ü', 'a;b', 'a%41', 'a\nb'].filter(canBeNamed);
  const alone: Files = {
    ...Object.fromEntries(odd.map(name => [name, name])),
    large: 'x'.repeat(300_000),
  };
  await using job = await openJob({ files: { ...together, ...alone } });
  const result = await expectSuccess(job, {
    target: '/srv/app',
    username: 'root',
    'files-per-request': '50',
    concurrency: '4',
  });
  assert.equal(result.report.files.length, Object.keys({ ...together, ...alone }).length);
  for (const { source, path: stored } of result.report.files)
    assert.equal(stored, `/srv/app/${source}`);
  assertDelivered(job, result);
  const [batches, others] = ['/files?username=root', '/files?path='].map(start =>
    uploadRequests(job).filter(({ url }) => url.startsWith(start)),
  );
  assert.equal(batches?.length, 3);
  assert.deepEqual(
    new Set(others?.map(uploadPathOf)),
    new Set(Object.keys(alone).map(name => `/srv/app/${name}`)),
  );
});

test('files are sent in batches by default with header-prefix: e2b', async () => {
  await using job = await openJob({ files: manyFiles(50), headerPrefix: 'e2b' });
  await expectSuccess(job, { 'header-prefix': 'e2b' });
  assert.equal(uploadRequests(job).length, 1);
});

test('a batch that is rejected or stored elsewhere ends the transfer and removes the state file', async () => {
  await using job = await openJob({ files: { a: 'a', b: 'b', c: 'c', d: 'd' } });
  const inputs = {
    target: 'app',
    'files-per-request': '2',
    concurrency: '1',
    retries: '0',
    'state-file': '.state.json',
  };
  await expectSuccess(job, inputs);
  job.write({ a: 'A', b: 'B', c: 'C' });
  // Some agents drop the folders of filenames.
  const elsewhere = JSON.stringify(['a', 'b'].map(name => fileEntry(name)));
  for (const [fault, last] of [
    [statusFault(200, elsewhere), 'unchanged'],
    [statusFault(400, '{"message":"you cannot upload multiple files"}'), 'not-attempted'],
  ] as const) {
    job.addFaults({ on: 'upload', times: 1, do: fault });
    const before = uploadRequests(job).length;
    const { report, errors } = await expectFailure(job, inputs);
    assert.deepEqual(
      report.files.map(file => file.status),
      ['failed', 'failed', 'not-attempted', last],
    );
    assert.equal(uploadRequests(job).length, before + 1);
    assert.match(errors, /files-per-request: 1/);
    assert.equal(existsSync(path.join(job.workspace, '.state.json')), false);
  }
});
