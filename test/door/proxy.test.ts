import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { hasOpenssl, makeKeys } from '../../dev/agent/keys.ts';
import { openProxy, refusing } from '../proxy.ts';
import { openWorld, runBadly, runWell } from './harness.ts';

const skip = !hasOpenssl && 'needs openssl';

/** An agent that only the proxy can find: requests to this machine use no proxy. */
const BY_PROXY = { 'base-url': 'http://agent.test', 'allow-insecure-http': 'true' };

const FILES = { 'a.txt': 'text', 'b.bin': Buffer.alloc(1024 * 1024, 'b') };

const keys = hasOpenssl ? makeKeys() : { key: '', cert: '', certFile: '', [Symbol.dispose]() {} };
after(() => keys[Symbol.dispose]());

suite('a proxy', () => {
  test('takes everything, and is told its credentials, which the agent is not', async () => {
    await using world = await openWorld({ files: FILES });
    await using proxy = await openProxy({ agent: world.agent.url });
    const env = { http_proxy: `http://user:p%40ss-word@${proxy.address}` };
    const { everything } = await runWell(world, BY_PROXY, { env });
    assert.deepEqual(world.stored('b.bin'), FILES['b.bin']);
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

  test('named by HTTPS_PROXY tunnels TLS', { skip }, async () => {
    await using world = await openWorld({ files: FILES, tls: keys });
    await using proxy = await openProxy();
    const env = { HTTPS_PROXY: `http://${proxy.address}`, NODE_EXTRA_CA_CERTS: keys.certFile };
    await runWell(world, {}, { env });
    assert.deepEqual(world.stored('b.bin'), FILES['b.bin']);
    const { host } = new URL(world.agent.url);
    assert.ok(proxy.requests.length > 0);
    for (const request of proxy.requests)
      assert.deepEqual([request.method, request.host], ['CONNECT', host]);
  });

  test('that asks for credentials is named as the reason', async () => {
    await using world = await openWorld();
    await using proxy = await openProxy({ instead: refusing(407) });
    const env = { HTTPS_PROXY: `http://${proxy.address}` };
    const inputs = { 'base-url': 'https://agent.test', retries: '0' };
    assert.match((await runBadly(world, inputs, { env })).errors, /proxy/i);
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

test('a certificate of a private CA needs NODE_EXTRA_CA_CERTS, and the error says so', {
  skip,
}, async () => {
  await using world = await openWorld({ tls: keys });
  const { errors } = await runBadly(world, { retries: '0' });
  assert.match(errors, /NODE_EXTRA_CA_CERTS/);
  assert.equal(world.agent.requests.length, 0);
});
