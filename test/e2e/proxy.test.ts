import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openProxy } from '../proxy.ts';
import { expectFailure, expectSuccess } from './run-action.ts';
import { openJob } from './test-job.ts';

/** Only the proxy can find this host; requests to localhost use no proxy. */
const BY_PROXY = { 'base-url': 'http://agent.test', 'allow-insecure-http': 'true' };

test('all requests go through the proxy, and only the proxy gets its credentials', async () => {
  const large = randomBytes(1024 * 1024);
  await using job = await openJob({ files: { 'a.txt': 'text', large } });
  await using proxy = await openProxy({ agent: job.agent.url });
  const env = { http_proxy: `http://user:p%40ss-word@${proxy.address}` };
  const { allOutput } = await expectSuccess(job, BY_PROXY, { env });
  assert.deepEqual(job.readStored('large'), large);
  assert.equal(proxy.requests.length, 3);
  for (const { host, headers } of proxy.requests)
    assert.deepEqual(
      [host, headers['proxy-authorization']],
      ['agent.test', `Basic ${btoa('user:p@ss-word')}`],
    );
  for (const { headers } of job.agent.requests)
    assert.equal(headers['proxy-authorization'], undefined);
  assert.ok(!allOutput.includes('p@ss-word') && !allOutput.includes('p%40ss-word'));
});

test('an unreachable proxy is reported without its password', async () => {
  await using job = await openJob();
  const env = { HTTP_PROXY: 'http://user:p%40ss-word@127.0.0.1:1' };
  const { errors, allOutput } = await expectFailure(job, { ...BY_PROXY, retries: '0' }, { env });
  assert.match(errors, /proxy/i);
  for (const form of ['p@ss-word', 'p%40ss-word', btoa('user:p@ss-word')])
    assert.ok(!allOutput.includes(form), form);
});
