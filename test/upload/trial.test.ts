import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UploadFile } from '../../src/agent/body.ts';
import { transfer } from '../../src/upload/transfer.ts';

test('a trial of sharing that comes back without one of its files shows nothing: every file goes alone', async () => {
  const files = ['docs/index', 'a', 'b', 'c'].map(target => ({
    realPath: '/',
    source: target,
    target,
    size: 1,
    isExecutable: false,
  }));
  const requests: string[][] = [];
  const upload = async (sent: readonly UploadFile[]) => {
    requests.push(sent.map(({ target }) => target));
    // The file in a folder could not be read when it was to be sent with another.
    return sent.map(({ target }) =>
      sent.length > 1 && target === 'docs/index' ? undefined : { path: target, size: 1 },
    );
  };
  const results = await transfer(files, {
    upload,
    concurrency: 1,
    filesPerRequest: 100,
    retries: 0,
    sleep: async () => true,
    random: () => 0,
    onEvent: () => {},
    clock: () => 0,
    cancel: new AbortController().signal,
  });
  assert.deepEqual(requests, [['docs/index', 'a'], ['docs/index'], ['b'], ['c']]);
  assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(['uploaded']));
});
