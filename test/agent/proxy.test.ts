import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasOpenssl, makeKeys } from '../../dev/agent/keys.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import { openProxy } from '../proxy.ts';
import { afterHead, answering, closed, http, onRequest, rawServer } from '../raw-server.ts';
import { GET, open, proxyVariables, send, TOKEN, trust } from './clients.ts';

const OK = http(200, '{}');

// No test's proxy looks this name up.
const URL_BEYOND = 'http://sandbox.example.com';

describe('a proxy', { timeout: 20_000 }, () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    test(`is not used for plain http to ${host}`, async () => {
      await using server = await rawServer(answering(OK));
      using _ = proxyVariables({ http_proxy: 'http://127.0.0.1:1' });
      const url = `http://${server.host.replace('127.0.0.1', host)}`;
      assert.equal((await send(url)).text, '{}');
    });
  }

  test('is not used for NO_PROXY hosts', { skip: !hasOpenssl }, async () => {
    using keys = makeKeys();
    trust(keys);
    await using server = await rawServer(answering(OK), keys);
    using _ = proxyVariables({ HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: 'x, 127.0.0.1' });
    assert.equal((await send(`https://${server.host}`)).text, '{}');
  });

  test('tunnels https, and does not see the token', { skip: !hasOpenssl }, async () => {
    using keys = makeKeys();
    trust(keys);
    await using server = await rawServer(answering(OK), keys);
    await using proxy = await openProxy();
    using _ = proxyVariables({ HTTPS_PROXY: `http://user:secret@${proxy.address}` });
    assert.equal((await send(`https://${server.host}`)).text, '{}');
    const [{ method, host } = {}, ...others] = proxy.requests;
    assert.deepEqual([method, host, others], ['CONNECT', server.host, []]);
    assert.ok(!JSON.stringify(proxy.requests).includes(TOKEN));
  });

  for (const status of [403, 407, 502]) {
    test(`that refuses a tunnel with ${status} cannot be passed`, async () => {
      await using proxy = await rawServer(afterHead(socket => socket.end(http(status))));
      using _ = proxyVariables({ https_proxy: `http://user:s3cretpass@${proxy.host}` });
      const sending = send('https://sandbox.example.com');
      await assert.rejects(sending, ({ message, kind }: Error & { kind: string }) => {
        assert.equal(kind, 'unreachable');
        assert.match(message, new RegExp(`Proxy response \\(${status}\\)`));
        assert.ok(!message.includes('s3cretpass'));
        return true;
      });
    });
  }

  test('that wants credentials for plain http cannot be passed', async () => {
    await using proxy = await rawServer(answering(http(407)));
    using _ = proxyVariables({ HTTP_PROXY: `http://${proxy.host}` });
    await assert.rejects(send(URL_BEYOND), { kind: 'unreachable' });
  });

  test('that never answers CONNECT ends the request in time, and is closed with the client', async () => {
    await using proxy = await rawServer(onRequest(() => {}));
    using _ = proxyVariables({ HTTPS_PROXY: `http://${proxy.host}` });
    await using client = await open('https://sandbox.example.com', { timeout: 200 });
    await assert.rejects(client.send(GET), { kind: 'connection' });
    await client.close();
    await Promise.all(proxy.connections.map(closed));
  });

  for (const value of [
    'foo',
    'user:s3cretpass@host:3128',
    'http://h:99999',
    'socks4://h:1',
    'http://u:%@h',
  ])
    test(`in a broken variable is an input error without its value: ${value}`, async () => {
      using _ = proxyVariables({ https_proxy: value, HTTP_PROXY: 'http://host' });
      await assert.rejects(open(URL_BEYOND), (error: unknown) => {
        assert.ok(error instanceof InputError);
        assert.match(error.message, /HTTP_PROXY, https_proxy: .* proxy/);
        assert.ok(!error.message.includes(value));
        return true;
      });
    });
});
