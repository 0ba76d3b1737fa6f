import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess } from '../support/run-action.ts';
import { openScriptedJob } from '../support/scripted-agent.ts';

test('header prefix, port, headers, username, signature and paths are sent as given', async () => {
  await using job = await openScriptedJob();
  const { requests, url } = job.agent;
  const signature = 'v1_a+b/c=&d';
  await expectSuccess(job, {
    'base-url': `${url}/pre/{sandbox-id}/{port}/`,
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
  assert.equal(requests.length, 2);
  for (const { headers } of requests) {
    const routing = ['E2b-Sandbox-Id: a--b_c', 'E2b-Sandbox-Port: 8080'];
    for (const line of [...routing, 'X-Metadata-build: 42', 'X-Other: with: colon'])
      assert.ok(headers.includes(line), headers.join('\n'));
    assert.doesNotMatch(headers.join('\n'), /svc-/i);
    assert.match(headers.join('\n'), /^user-agent: sandbox-sync\/\d+\.\d+\.\d+$/im);
  }
  const [upload, stats] = requests;
  const [, path = '', query = ''] = /^POST (\S+)\?(\S+) HTTP/.exec(upload?.line ?? '') ?? [];
  assert.equal(path, '/pre/a--b_c/8080/up');
  assert.deepEqual(Object.fromEntries(new URLSearchParams(query)), {
    path: 'a.txt',
    username: 'root',
    signature,
    signature_expiration: '1767225600',
  });
  assert.equal(stats?.line, 'GET /pre/a--b_c/8080/st/ats HTTP/1.1');
  assert.match(stats?.headers.join('\n') ?? '', /^cache-control: no-cache$/im);
});
