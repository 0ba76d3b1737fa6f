import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { suite, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { openHttp } from '../../src/agent/http.ts';
import { hasOpenssl, makeKeys } from '../action/proxy.ts';
import {
  answering,
  closed,
  listen,
  listenTls,
  OK,
  proxyVariables,
  request,
  send,
  type Talk,
  trust,
} from './sockets.ts';

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';
const HTTPS = 'https://agent.test';
const HTTP = 'http://agent.test';

interface Case {
  readonly origin: string;
  readonly talk: Talk;
  readonly kind: string;
}

/** Proxies that keep a request waiting, each at another point. */
const STALLS: Readonly<Record<string, Case>> = {
  'never answers CONNECT': { origin: HTTPS, talk: () => {}, kind: 'stalled' },
  'drips the answer to CONNECT': {
    origin: HTTPS,
    talk: answering(socket => void setImmediate(() => socket.write('HTTP/1.1 200 '))),
    kind: 'stalled',
  },
  'answers CONNECT and lets TLS stall': {
    origin: HTTPS,
    talk: answering(socket => socket.write(ESTABLISHED)),
    kind: 'unreachable',
  },
  'never answers what it should forward': { origin: HTTP, talk: () => {}, kind: 'stalled' },
  'stops half-way in what it forwards': {
    origin: HTTP,
    talk: answering(socket => socket.write(OK.slice(0, -1))),
    kind: 'stalled',
  },
};

suite('timeout', { timeout: 30_000 }, () => {
  for (const [name, { origin, talk, kind }] of Object.entries(STALLS)) {
    test(`ends an attempt where a proxy ${name}`, async () => {
      await using proxy = await listen(talk);
      using _ = proxyVariables({ HTTP_PROXY: `http://${proxy.host}` });
      const start = performance.now();
      await assert.rejects(send(origin), { kind });
      // By itself, the HTTP client gives up after ten seconds, or five minutes.
      assert.ok(performance.now() - start < 8000);
    });
  }

  test('ends an attempt where a proxy for TLS lets TLS stall', async () => {
    await using proxy = await listen();
    using _ = proxyVariables({ HTTPS_PROXY: `https://${proxy.host}` });
    const start = performance.now();
    await assert.rejects(send(HTTPS), { kind: 'unreachable' });
    assert.ok(performance.now() - start < 8000);
  });

  test('frees the connection where a proxy refuses and never ends saying so', async () => {
    await using proxy = await listen(
      answering(socket => socket.write('HTTP/1.1 407 Refused\r\nContent-Length: 9\r\n\r\n')),
    );
    using _ = proxyVariables({ HTTP_PROXY: `http://${proxy.host}` });
    const http = await openHttp(HTTP, 1, 200);
    for (const _ of [1, 2]) await assert.rejects(http.send(request()), { kind: 'unreachable' });
    await http.close();
  });
});

suite('a tunnel', { timeout: 30_000, skip: !hasOpenssl && 'needs openssl' }, () => {
  test('leads to HTTP/1.1 where HTTP/2 is to be had', async () => {
    using keys = makeKeys();
    trust(keys);
    const protocols: unknown[] = [];
    await using agent = await listenTls(keys, socket => {
      protocols.push('alpnProtocol' in socket ? socket.alpnProtocol : undefined);
      answering(() => socket.write(OK))(socket);
    });
    await using proxy = await listen(socket => void tunnel(socket));
    using _ = proxyVariables({ HTTPS_PROXY: `http://${proxy.host}` });
    assert.equal((await send(`https://${agent.host}`, { timeoutMs: 10_000 })).status, 200);
    assert.deepEqual(protocols, ['http/1.1']);
  });

  test('is asked for in HTTP/1.1 where the proxy would rather speak HTTP/2', async () => {
    using keys = makeKeys();
    trust(keys);
    const protocols: unknown[] = [];
    await using proxy = await listenTls(keys, socket => {
      protocols.push('alpnProtocol' in socket ? socket.alpnProtocol : undefined);
      socket.destroy();
    });
    using _ = proxyVariables({ HTTPS_PROXY: `https://${proxy.host}` });
    await assert.rejects(send(HTTPS, { timeoutMs: 10_000 }), AgentError);
    assert.deepEqual([...new Set(protocols)], ['http/1.1']);
  });

  test('that is being made ends when the client is closed', async () => {
    const asked = Promise.withResolvers<Socket>();
    await using proxy = await listen(
      answering(socket => socket.write(ESTABLISHED, () => asked.resolve(socket))),
    );
    using _ = proxyVariables({ HTTPS_PROXY: `http://${proxy.host}` });
    const http = await openHttp(HTTPS, 1, 60_000);
    const sending = assert.rejects(http.send(request()), { kind: 'connection' });
    const gone = closed(await asked.promise);
    await http.close();
    await Promise.all([gone, sending]);
  });
});

suite('what the environment names', { timeout: 30_000 }, () => {
  const values = ['foo', 'user:s3cret@host:3128', 'http://s3cret:99999', 'socks5://user:s3cret@host:1080'];
  for (const value of [...values, 'http://user:s3cret%@host:3128', 'http://']) {
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY']) {
      test(`in ${name}=${value} is no proxy, which each request says`, async () => {
        using _ = proxyVariables({ [name]: value });
        await assert.rejects(send(HTTPS), (error: unknown) => {
          assert.ok(error instanceof AgentError);
          assert.equal(error.kind, 'unreachable');
          const why = `the environment variable ${name} holds no URL of an http or https proxy (http://host:port).`;
          assert.equal(error.message, `GET https://agent.test/path was not sent: ${why}`);
          assert.equal(error.cause, undefined);
          return true;
        });
      });
    }
  }

  test('for another scheme does no harm', async () => {
    await using proxy = await listen(answering(socket => socket.write(OK)));
    using _ = proxyVariables({ http_proxy: `http://${proxy.host}`, HTTPS_PROXY: 'foo' });
    assert.equal((await send(HTTP)).status, 200);
  });

  test('is passed by for http to this machine, where nobody is on the way', async () => {
    await using proxy = await listen();
    await using agent = await listen(answering(socket => socket.write(OK)));
    using _ = proxyVariables({ HTTP_PROXY: `http://${proxy.host}`, https_proxy: `http://${proxy.host}` });
    assert.equal((await send(`http://${agent.host}`)).status, 200);
    assert.equal(proxy.connections.length, 0);
  });
});

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
