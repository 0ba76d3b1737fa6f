import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess } from './run-action.ts';
import { openJob } from './test-job.ts';

test('header prefix, port, headers, username, signature and paths are sent as given', async () => {
  const prefix = '/pre/a--b_c/8080';
  await using job = await openJob({
    headerPrefix: 'E2b',
    sandboxPort: 8080,
    sandboxId: 'a--b_c',
    uploadPath: `${prefix}/up`,
    statsPath: `${prefix}/st/ats`,
  });
  const signature = 'v1_a+b/c=&d';
  await expectSuccess(job, {
    'base-url': `${job.agent.url}/pre/{sandbox-id}/{port}/`,
    'upload-path': '/up',
    'stats-path': '/st/ats',
    'header-prefix': 'E2b',
    port: '8080',
    'sandbox-id': 'a--b_c',
    headers: 'X-Metadata-build: 42\n\n  X-Other :  with: colon  \n',
    username: 'root',
    signature,
    'signature-expiration': '1767225600',
  });
  assert.equal(job.agent.requests.length, 2);
  for (const { headers } of job.agent.requests) {
    assert.deepEqual(
      ['e2b-sandbox-id', 'e2b-sandbox-port', 'x-metadata-build', 'x-other'].map(
        name => headers[name],
      ),
      ['a--b_c', '8080', '42', 'with: colon'],
    );
    assert.equal(headers['svc-sandbox-id'], undefined);
    assert.match(headers['user-agent'] ?? '', /^sandbox-sync\/\d+\.\d+\.\d+$/);
  }
  const [upload, stats] = job.agent.requests;
  const query = new URL(upload?.url ?? '', job.agent.url).searchParams;
  assert.deepEqual(Object.fromEntries(query), {
    path: 'a.txt',
    username: 'root',
    signature,
    signature_expiration: '1767225600',
  });
  assert.equal(stats?.url, `${prefix}/st/ats`);
  assert.equal(stats?.headers['cache-control'], 'no-cache');
  assert.equal(job.readStored('/root/a.txt').toString(), 'text');
});
