import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, suite, test } from 'node:test';
import { hasOpenssl, makeKeys } from '../../local-agent/keys.ts';
import { isUsable, networkFacts, proxyFor } from '../../src/agent/proxy.ts';
import {
  answering,
  closed,
  listen,
  listenTls,
  OK,
  open,
  proxyVariables,
  REQUEST,
  send,
  type Talk,
  trust,
} from './sockets.ts';

const ALL = { http_proxy: 'h', HTTP_PROXY: 'H', https_proxy: 's', HTTPS_PROXY: 'S' };

const CASES: readonly (readonly [origin: string, env: NodeJS.ProcessEnv, value: string | undefined])[] = [
  ['http://host', {}, undefined],
  ['http://host', ALL, 'h'],
  ['http://host', { HTTP_PROXY: 'H', HTTPS_PROXY: 'S' }, 'H'],
  ['http://host', { HTTPS_PROXY: 'S' }, undefined],
  ['http://host', { http_proxy: '', HTTP_PROXY: 'H' }, undefined],
  ['https://host', ALL, 's'],
  ['https://host', { HTTPS_PROXY: 'S' }, 'S'],
  ['https://host', { HTTP_PROXY: 'H' }, 'H'],
  ['https://host', { https_proxy: '', HTTP_PROXY: 'H' }, 'H'],
  ['https://127.0.0.1', ALL, 's'],
  ['http://127.0.0.1:80', ALL, undefined],
  ['http://127.9.9.9', ALL, undefined],
  ['http://[::1]:80', ALL, undefined],
  ['http://localhost', ALL, undefined],
  ['http://a.localhost', ALL, 'h'],
  ['http://128.0.0.1', ALL, 'h'],
];

describe('the proxy', () => {
  for (const [origin, env, value] of CASES) {
    test(`for ${origin} with ${JSON.stringify(env)} is ${value}`, () => {
      assert.equal(proxyFor(origin, env)?.value, value);
    });
  }

  test('is named by an http or https URL whose credentials can be decoded', () => {
    const good = ['http://host', 'https://user:p%40ss@host:3128/'];
    const bad = ['foo', 'user:s3cret@host:3128', 'http://h:99999', 'socks5://host:1080', 'http://u:%@h', 'http://'];
    const usable = [...good, ...bad].filter(value => isUsable({ name: 'HTTPS_PROXY', value }));
    assert.deepEqual(usable, good);
  });

  test('is told of by the name of its variable', () => {
    const env = { HTTPS_PROXY: 'user:s3cret@host', no_proxy: 'x', NODE_EXTRA_CA_CERTS: '' };
    const facts = ['Proxy: from HTTPS_PROXY, which is not the URL of a proxy', 'NO_PROXY: set'];
    assert.equal(networkFacts('https://host', env), [...facts, 'NODE_EXTRA_CA_CERTS: not set'].join('\n'));
  });
});

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';
const HTTPS = 'https://agent.test';
const HTTP = 'http://agent.test';

suite('a request by way of a proxy', { timeout: 30_000 }, () => {
  test('is not sent where what is named is none, and says so without its value', async () => {
    using _ = proxyVariables({ https_proxy: 'socks5://user:s3cret@host:1080' });
    const why = 'the environment variable https_proxy is not the URL of an http or https proxy (http://host:port).';
    const message = `GET https://agent.test/path was not sent: ${why}`;
    await assert.rejects(send(HTTPS), { kind: 'unreachable', message, cause: undefined });
  });

  test('does not care what is named for another scheme', async () => {
    await using proxy = await listen(answering(socket => socket.write(OK)));
    using _ = proxyVariables({ http_proxy: `http://${proxy.host}`, HTTPS_PROXY: 'foo' });
    assert.equal((await send(HTTP, { timeoutMs: 10_000 })).status, 200);
  });

  test('ends where a proxy for TLS lets TLS stall', async () => {
    await using proxy = await listen();
    using _ = proxyVariables({ HTTPS_PROXY: `https://localhost:${proxy.host.split(':')[1]}` });
    await assertInTime(() => assert.rejects(send(HTTPS), { kind: 'unreachable' }));
  });

  test('does not wait for the end of what a proxy says that refuses', async () => {
    await using proxy = await listen(
      answering(socket => socket.write('HTTP/1.1 407 Refused\r\nContent-Length: 9\r\n\r\n')),
    );
    using _ = proxyVariables({ HTTP_PROXY: `http://${proxy.host}` });
    const http = open(HTTP);
    for (const _ of [1, 2]) await assertInTime(() => assert.rejects(http.send(REQUEST), { kind: 'proxy-refused' }));
    await http.close();
  });

  test('ends with its tunnel that is being made when the client is closed', async () => {
    const asked = Promise.withResolvers<Socket>();
    await using proxy = await listen(answering(socket => socket.write(ESTABLISHED, () => asked.resolve(socket))));
    using _ = proxyVariables({ HTTPS_PROXY: `http://${proxy.host}` });
    const http = open(HTTPS, { timeoutMs: 60_000 });
    const sending = assert.rejects(http.send(REQUEST), { kind: 'connection' });
    const gone = closed(await asked.promise);
    await http.close();
    await Promise.all([gone, sending]);
  });
});

suite('HTTP/1.1 is spoken where HTTP/2 is to be had', { skip: !hasOpenssl && 'needs openssl' }, () => {
  const protocols: unknown[] = [];
  const noting =
    (talk: Talk): Talk =>
    socket => {
      protocols.push('alpnProtocol' in socket ? socket.alpnProtocol : undefined);
      talk(socket);
    };
  const ok = noting(answering(socket => socket.write(OK)));

  const ways: Readonly<Record<string, { readonly proxy?: string; readonly talk: Talk }>> = {
    directly: { talk: ok },
    'in a tunnel': { talk: ok, proxy: 'http' },
    'to a proxy for TLS': { talk: noting(socket => socket.destroy()), proxy: 'https' },
  };
  for (const [name, { proxy: scheme, talk }] of Object.entries(ways)) {
    test(name, { timeout: 30_000 }, async () => {
      using keys = makeKeys();
      trust(keys);
      protocols.length = 0;
      await using server = await listenTls(keys, talk);
      await using tunnels = await listen(socket => void tunnel(socket));
      const place = scheme === 'https' ? server.host : tunnels.host;
      using _ = proxyVariables(scheme === undefined ? {} : { HTTPS_PROXY: `${scheme}://${place}` });
      const sending = send(`https://${server.host}`, { timeoutMs: 10_000 });
      if (scheme === 'https') await assert.rejects(sending);
      else assert.equal((await sending).status, 200);
      assert.deepEqual([...new Set(protocols)], ['http/1.1']);
    });
  }
});

/** By itself, the HTTP client gives up after ten seconds, or five minutes. */
async function assertInTime(act: () => Promise<void>): Promise<void> {
  const start = performance.now();
  await act();
  assert.ok(performance.now() - start < 8000);
}

/** Connects a socket to where it says it wants to. */
async function tunnel(client: Socket): Promise<void> {
  const [head] = await once(client, 'data');
  const [, port = ''] = /^CONNECT [\d.]+:(\d+) /.exec(String(head)) ?? [];
  const upstream = connect(Number(port), '127.0.0.1', () => {
    client.write(ESTABLISHED);
    upstream.pipe(client).pipe(upstream);
  });
  upstream.on('error', () => client.destroy());
}
