import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { openProxy } from '../proxy.ts';
import { openWorld, runBadly, runWell } from './harness.ts';

/** An agent that only the proxy can find: requests to this machine use no proxy. */
const BY_PROXY = { 'base-url': 'http://agent.test', 'allow-insecure-http': 'true' };

describe('a proxy', () => {
  test('takes everything, and is told its credentials, which the agent is not', async () => {
    const large = randomBytes(1024 * 1024);
    await using world = await openWorld({ files: { 'a.txt': 'text', large } });
    await using proxy = await openProxy({ agent: world.agent.url });
    const env = { http_proxy: `http://user:p%40ss-word@${proxy.address}` };
    const { everything } = await runWell(world, BY_PROXY, { env });
    assert.deepEqual(world.stored('large'), large);
    assert.equal(proxy.requests.length, 3);
    for (const { host, headers } of proxy.requests)
      assert.deepEqual(
        [host, headers['proxy-authorization']],
        ['agent.test', `Basic ${btoa('user:p@ss-word')}`],
      );
    for (const { headers } of world.agent.requests)
      assert.equal(headers['proxy-authorization'], undefined);
    assert.ok(!everything.includes('p@ss-word') && !everything.includes('p%40ss-word'));
  });

  test('that is not there is told without its password', async () => {
    await using world = await openWorld();
    const env = { HTTP_PROXY: 'http://user:p%40ss-word@127.0.0.1:1' };
    const { errors, everything } = await runBadly(world, { ...BY_PROXY, retries: '0' }, { env });
    assert.match(errors, /proxy/i);
    for (const form of ['p@ss-word', 'p%40ss-word', btoa('user:p@ss-word')])
      assert.ok(!everything.includes(form), form);
  });
});
