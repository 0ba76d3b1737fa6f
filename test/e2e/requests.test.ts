import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { expectSuccess } from './run-action.ts';
import { openScriptedJob } from './scripted-agent.ts';

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

test('all requests go through the proxy, which gets its credentials', async () => {
  const large = randomBytes(1024 * 1024);
  // The agent also acts as the proxy. Requests to localhost bypass proxies, so use agent.test.
  await using job = await openScriptedJob({}, { 'a.txt': 'text', large });
  const { requests, url } = job.agent;
  const env = { http_proxy: url.replace('//', '//user:p%40ss-word@') };
  const inputs = { 'base-url': 'http://agent.test', 'allow-insecure-http': 'true' };
  const { allOutput } = await expectSuccess(job, inputs, { env });
  assert.equal(requests.length, 3);
  assert.ok(requests.some(({ body }) => body.includes(large)));
  for (const { line, headers } of requests) {
    assert.match(line, /^(GET|POST) http:\/\/agent\.test\/(files\?|metrics )/);
    assert.match(headers.join('\n'), /^host: agent\.test$/im);
    const basic = headers.find(header => /^proxy-authorization:/i.test(header));
    assert.ok(basic?.endsWith(`: Basic ${btoa('user:p@ss-word')}`), basic);
  }
  assert.ok(!allOutput.includes('p@ss-word') && !allOutput.includes('p%40ss-word'));
});
