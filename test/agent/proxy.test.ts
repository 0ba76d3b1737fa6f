import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import {
  GET,
  openTestClient,
  sendOnce,
  setProxyVariables,
  TOKEN,
  trustCertificate,
} from '../support/open-client.ts';
import { afterHead, answering, closed, http, onRequest, rawServer } from '../support/raw-server.ts';
import { CONNECT_PROXY, openRelay, SOCKS_PROXY } from '../support/relay.ts';
import { createCertificate, hasOpenssl } from '../support/tls-certificate.ts';

const OK = http(200, '{}');

// This host is never looked up, since the proxies of these tests do not forward requests.
const URL_BEYOND = 'http://sandbox.example.com';

describe('a proxy', { timeout: 20_000 }, () => {
  test('a proxy tunnels https without seeing the token, unless NO_PROXY names the host', {
    skip: !hasOpenssl,
  }, async () => {
    using keys = createCertificate();
    trustCertificate(keys);
    await using server = await rawServer(answering(OK), keys);
    await using proxy = await openRelay(`https://${server.host}`, { proxy: CONNECT_PROXY });
    const HTTPS_PROXY = `http://user:secret@${proxy.host}`;
    for (const NO_PROXY of ['x', 'x, 127.0.0.1']) {
      using _ = setProxyVariables({ HTTPS_PROXY, NO_PROXY });
      assert.equal((await sendOnce(`https://${server.host}`)).body, '{}');
      assert.deepEqual(
        proxy.heads.map(head => head.split(' HTTP')[0]),
        [`CONNECT ${server.host}`],
      );
    }
    const [head = ''] = proxy.heads;
    assert.match(head, RegExp(`^proxy-authorization: Basic ${btoa('user:secret')}\r$`, 'im'));
    assert.ok(!head.includes(TOKEN));
  });

  test('a SOCKS 5 proxy gets the percent-decoded user and password, and tunnels https', {
    skip: !hasOpenssl,
  }, async () => {
    using keys = createCertificate();
    trustCertificate(keys);
    await using server = await rawServer(answering(OK), keys);
    await using proxy = await openRelay(`https://${server.host}`, { proxy: SOCKS_PROXY });
    using _ = setProxyVariables({
      HTTPS_PROXY: `socks5://us%65r:p%40%3A%2F%25%C3%9F@${proxy.host}`,
    });
    assert.equal((await sendOnce(`https://${server.host}`)).body, '{}');
    assert.equal(proxy.heads[1], '\x01\x04user\x07p@:/%ß');
  });

  for (const [variable, url, status] of [
    ['https_proxy', 'https://sandbox.example.com', 403],
    ['http_proxy', 'http://sandbox.example.com', 407],
    // If it is the only one, it is also used for https.
    ['http_proxy', 'https://sandbox.example.com', 407],
  ] as const)
    test(`a proxy that refuses a request makes the sandbox unreachable [${variable}, ${url}]`, async () => {
      await using proxy = await rawServer(afterHead(socket => socket.end(http(status))));
      using _ = setProxyVariables({ [variable]: `http://${proxy.host}` });
      await assert.rejects(sendOnce(url), {
        kind: 'unreachable',
        message: RegExp(`failed: .*${status}`),
        hint: RegExp(`^Check the proxy in ${variable}: is it up.* user and password`),
      });
    });

  test('the variables of a proxy that is down are named, but not its password, with a hint about NO_PROXY', async () => {
    const value = 'http://user:s3cretpass@127.0.0.1:1';
    using _ = setProxyVariables({ HTTPS_PROXY: value, http_proxy: value, NO_PROXY: 'x' });
    await assert.rejects(sendOnce('https://sandbox.example.com'), {
      message: 'GET https://sandbox.example.com/path failed: connect ECONNREFUSED 127.0.0.1:1.',
      hint: /^Check the proxy in HTTPS_PROXY, http_proxy: is it(?!.*s3cretpass).* If NO_PROXY exempts/,
    });
  });

  test('a proxy is neither used nor blamed for plain http to loopback', async () => {
    using _ = setProxyVariables({ HTTP_PROXY: 'http://127.0.0.1:2' });
    const hint = /^Check the host and port of base-url/;
    await assert.rejects(sendOnce('http://127.0.0.1:1'), { kind: 'unreachable', hint });
  });

  test('the hint for an http proxy whose URL begins with https:// says to use http://', async () => {
    await using proxy = await rawServer(socket => void socket.end(http(400)));
    using _ = setProxyVariables({ HTTPS_PROXY: `https://${proxy.host}` });
    const hint = /The URL of a proxy usually begins with http:\/\//;
    await assert.rejects(sendOnce('https://sandbox.example.com'), { hint });
  });

  test('a proxy that never answers CONNECT times out, and its connection is closed with the client', async () => {
    await using proxy = await rawServer(onRequest(() => {}));
    using _ = setProxyVariables({ HTTPS_PROXY: `http://${proxy.host}` });
    await using client = openTestClient('https://sandbox.example.com');
    await assert.rejects(client.send({ ...GET, timeout: 200 }), { kind: 'connection' });
    await client[Symbol.asyncDispose]();
    await Promise.all(proxy.connections.map(closed));
  });

  type Hang = (socket: Socket, cancel: () => void) => void;
  const hangs: Readonly<Record<string, Hang>> = {
    CONNECT: (socket, cancel) => socket.once('data', cancel),
    'TLS in the tunnel': (socket, cancel) =>
      socket.once('data', () => {
        socket.write(http(200));
        socket.once('data', cancel);
      }),
  };
  for (const [phase, hang] of Object.entries(hangs))
    test(`a request is cancelled while it waits for a proxy that hangs [${phase}]`, async () => {
      const controller = new AbortController();
      await using proxy = await rawServer(socket => hang(socket, () => controller.abort()));
      using _ = setProxyVariables({ HTTPS_PROXY: `http://${proxy.host}` });
      const { signal } = controller;
      const sending = sendOnce('https://sandbox.example.com', { signal });
      await assert.rejects(sending, { kind: 'cancelled' });
    });

  for (const value of ['foo', 'user:s3cretpass@host:3128', 'http://h:99999', 'socks4://h:1'])
    test(`an invalid proxy variable is an error that does not quote it [${value}]`, () => {
      using _ = setProxyVariables({ https_proxy: value, HTTP_PROXY: 'http://host' });
      const message = 'HTTP_PROXY, https_proxy: not the URL of an http, https or socks5 proxy.';
      const hint = 'Example: http://host:3128';
      assert.throws(() => openTestClient(URL_BEYOND), { name: 'AgentError', message, hint });
    });
});
