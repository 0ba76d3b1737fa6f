import assert from 'node:assert/strict';
import { appendFileSync, rmSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { assertDelivered } from './result.ts';
import { expectFailure, onUploadOf } from './run-action.ts';
import { openJob } from './test-job.ts';

const CHANGES: Readonly<Record<string, (file: string) => void>> = {
  grows: file => appendFileSync(file, 'more'),
  shrinks: file => truncateSync(file, 10),
  vanishes: file => rmSync(file),
  'is-emptied': file => truncateSync(file, 0),
};

test('a file that grows, shrinks or vanishes before its upload fails, and the others arrive', async () => {
  const names = Object.keys(CHANGES).flatMap(name => [`${name}-small`, `${name}-large`]);
  const contents = names.map(name => [name, Buffer.alloc(name.endsWith('large') ? 1e6 : 1e3)]);
  await using job = await openJob({
    files: { a: 'a', ...Object.fromEntries(contents), z: 'z' },
  });
  const change = () => {
    for (const [name, act] of Object.entries(CHANGES))
      for (const size of ['small', 'large']) act(path.join(job.workspace, `${name}-${size}`));
  };
  const inputs = { concurrency: '1', retries: '0', files: ['a', ...names, 'z'].join('\n') };
  const result = await expectFailure(job, inputs, { ...onUploadOf('a', change), task: 'upload' });
  for (const name of names) assert.match(result.file(name).error?.kind ?? '', /^file-/, name);
  assert.equal(result.outputs['uploaded-count'], '2');
  assertDelivered(job, result);
});
