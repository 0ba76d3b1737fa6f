import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, suite, test } from 'node:test';
import { EnvHttpProxyAgent, request, Client as UndiciClient } from 'undici';
import { hasOpenssl, makeKeys } from '../../dev/agent/keys.ts';
import { isUsable, proxyCredentials, proxyFor } from '../../src/agent/proxy.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import {
  afterHead,
  answering,
  closed,
  drip,
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

const CASES: readonly (readonly [
  origin: string,
  env: NodeJS.ProcessEnv,
  value: string | undefined,
])[] = [
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

  test('is named by an http, https or SOCKS 5 URL whose credentials can be decoded', () => {
    const good = [
      'http://host',
      'https://user:p%40ss@host:3128/',
      'socks5://host:1080',
      'socks://user:pass@host',
    ];
    const bad = [
      'foo',
      'user:s3cret@host:3128',
      'http://h:99999',
      'socks4://host:1080',
      'socks5h://host:1080',
      'http://u:%@h',
      'http://',
    ];
    const usable = [...good, ...bad].filter(value => isUsable({ name: 'HTTPS_PROXY', value }));
    assert.deepEqual(usable, good);
  });

  test('has secrets of at least eight characters, encoded and decoded', () => {
    const env = {
      http_proxy: 'http://user@host',
      HTTPS_PROXY: 'http://user:p%40ssword@host',
      https_proxy: 'http://a-long-token@host',
    };
    assert.deepEqual(proxyCredentials(env), [
      'a-long-token',
      'a-long-token',
      'p%40ssword',
      'p@ssword',
      'user:p%40ssword',
      'user:p@ssword',
    ]);
  });
});

const NO_PROXY_ENTRIES =
  `* *:443 *:80 *: ** *. . *.* : :443 agent.test agent.test:443 agent.test:80 agent.test:8443 agent.test:0 agent.test:
  agent.test:x .agent.test *.agent.test *.agent.test:443 *agent.test AGENT.Test agent.test. .agent.test. gent.test test .test
  other.test a.agent.test *.a.agent.test http://agent.test ::1 [::1] [::1]:443 ::1:443 [::1]:8443 10.0.0.1 10.0.0.1:443
  10.0.0.0/8 0.0.1 *.0.0.1 a:b:c [agent.test] [agent.test]:443 agent.test:443:80 agent.test:00443 *:0 xn--nt-lka.test änt.test`.split(
    /\s+/,
  );

const ORIGINS =
  'agent.test a.agent.test b.a.agent.test agent.test. AGENT.TEST notagent.test test [::1] 10.0.0.1 änt.test'
    .split(' ')
    .flatMap(host => ['', ':443', ':80', ':8443'].map(port => `https://${host}${port}`))
    .concat(
      'http://agent.test',
      'http://agent.test:8443',
      'http://10.0.0.1',
      'http://agent.test:443',
    );

describe('NO_PROXY bypasses the proxy as undici does', () => {
  const others = ['', 'other.test,', ' other.test:1  ,'];
  for (const [index, entry] of NO_PROXY_ENTRIES.entries()) {
    const noProxy = `${others[index % others.length]}${entry}`;
    test(`for ${noProxy}`, async () => {
      const ways = await Promise.all(ORIGINS.map(origin => wayOfUndici(origin, noProxy)));
      const env = { HTTP_PROXY: PROXY_URL, HTTPS_PROXY: PROXY_URL, NO_PROXY: noProxy };
      const own = ORIGINS.map(origin => (proxyFor(origin, env) === undefined ? 'direct' : 'proxy'));
      assert.deepEqual(
        Object.fromEntries(ORIGINS.map((origin, at) => [origin, own[at]])),
        Object.fromEntries(ORIGINS.map((origin, at) => [origin, ways[at]])),
      );
    });
  }

  test('in lower case before upper case', () => {
    const env = { HTTPS_PROXY: PROXY_URL, NO_PROXY: 'agent.test' };
    assert.equal(proxyFor('https://agent.test', env), undefined);
    assert.equal(proxyFor('https://agent.test', { ...env, no_proxy: '' })?.value, PROXY_URL);
  });
});

const PROXY_URL = 'http://proxy.test:3128';

/** The route that undici's EnvHttpProxyAgent would choose, without a connection. */
async function wayOfUndici(origin: string, noProxy: string): Promise<unknown> {
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: PROXY_URL,
    httpsProxy: PROXY_URL,
    noProxy,
    proxyTunnel: true,
    connect: (_, callback) => callback(new Error('direct'), null),
    clientFactory: proxy =>
      new UndiciClient(proxy, { connect: (_, callback) => callback(new Error('proxy'), null) }),
  });
  try {
    await request(origin, { dispatcher });
    return 'an answer';
  } catch (error) {
    return error instanceof Error && error.message;
  } finally {
    await dispatcher.destroy();
  }
}

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';
const HTTPS = 'https://agent.test';
const HTTP = 'http://agent.test';

suite('a request by way of a proxy', { timeout: 30_000 }, () => {
  test('cannot be made if the variable is no proxy, which is named without its value', () => {
    using _ = proxyVariables({ https_proxy: 'user:s3cret@host:1080' });
    assert.throws(
      () => open(HTTPS),
      (error: unknown) => {
        assert.ok(error instanceof InputError);
        assert.match(error.message, /^https_proxy: /);
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      },
    );
  });

  test('bypasses an unusable proxy for NO_PROXY hosts', async () => {
    await using agent = await listen(answering(socket => socket.write(OK)));
    const port = agent.host.split(':')[1];
    using _ = proxyVariables({ HTTP_PROXY: 'foo', NO_PROXY: 'localhost.localdomain,0.0.0.0' });
    assert.throws(() => open('http://192.0.2.1'), InputError);
    const { status } = await send(`http://0.0.0.0:${port}`, { timeout: 10_000 });
    assert.equal(status, 200);
  });

  test('does not care what is named for another scheme', async () => {
    await using proxy = await listen(answering(socket => socket.write(OK)));
    using _ = proxyVariables({ http_proxy: `http://${proxy.host}`, HTTPS_PROXY: 'foo' });
    assert.equal((await send(HTTP, { timeout: 10_000 })).status, 200);
  });

  const stages: Readonly<Record<string, readonly [scheme: string, talk: Talk, kind: string]>> = {
    'swallows CONNECT': ['http', afterHead(() => {}), 'unreachable'],
    'drips its answer to CONNECT': ['http', afterHead(socket => drip(socket, 'H')), 'connection'],
    'drips its headers': [
      'http',
      afterHead(socket => {
        socket.write('HTTP/1.1 200 OK\r\n');
        drip(socket, 'X: y\r\n');
      }),
      'unreachable',
    ],
    'announces its answer again and again': [
      'http',
      afterHead(socket => drip(socket, 'HTTP/1.1 100 Continue\r\n\r\n')),
      'unreachable',
    ],
    'lets TLS through it stall': [
      'http',
      afterHead(socket => socket.write(ESTABLISHED)),
      'unreachable',
    ],
    'lets its own TLS stall': ['https', () => {}, 'unreachable'],
    'closes at once': ['http', socket => socket.destroy(), 'unreachable'],
    'closes after CONNECT': ['http', afterHead(socket => socket.destroy()), 'unreachable'],
    'closes the tunnel': ['http', afterHead(socket => socket.end(ESTABLISHED)), 'connection'],
    'speaks no HTTP': ['http', afterHead(socket => socket.write('SSH-2.0-x\r\n')), 'connection'],
  };
  for (const [name, [scheme, talk, kind]] of Object.entries(stages)) {
    test(`ends in time if the proxy ${name}`, async () => {
      await using proxy = await listen(talk);
      const place = `${scheme}://localhost:${proxy.host.split(':')[1]}`;
      using _ = proxyVariables({ HTTPS_PROXY: place });
      const sending = (timeout: number) => send(HTTPS, { timeout });
      await assertInTime(() => assert.rejects(sending(2000), { kind }));
      await assertInTime(() => assert.rejects(sending(100)));
    });
  }

  for (const [status, kind] of Object.entries({
    403: 'proxy-forbids',
    407: 'proxy-refused',
    502: 'unreachable',
  })) {
    test(`is ${kind} if the proxy answers CONNECT with ${status}`, async () => {
      const says = `HTTP/1.1 ${status} No\r\nContent-Length: 9\r\n\r\n`;
      await using proxy = await listen(afterHead(socket => socket.write(says)));
      using _ = proxyVariables({ HTTPS_PROXY: `http://${proxy.host}` });
      await assert.rejects(send(HTTPS, { timeout: 10_000 }), { kind });
    });
  }

  test('is cancelled at once while the proxy swallows CONNECT', async () => {
    const asked = Promise.withResolvers<Socket>();
    await using proxy = await listen(afterHead(asked.resolve));
    using _ = proxyVariables({ HTTPS_PROXY: `http://${proxy.host}` });
    const controller = new AbortController();
    const client = open(HTTPS, { timeout: 60_000, cancel: controller.signal });
    const sending = assert.rejects(client.send(REQUEST), { kind: 'cancelled' });
    const gone = closed((await asked.promise).resume());
    controller.abort();
    await sending;
    await client.close();
    await gone;
  });

  test('leaves no connection behind if the proxy swallows CONNECT', async () => {
    await using proxy = await listen(afterHead(socket => socket.resume()));
    using _ = proxyVariables({ HTTPS_PROXY: `http://${proxy.host}` });
    const client = open(HTTPS, { timeout: 1000 });
    const connected = proxy.connected();
    // On a busy machine, the timeouts of connecting and of the request may end together.
    const kind = /^(unreachable|stalled)$/;
    const sending = assert.rejects(client.send(REQUEST), { kind });
    await closed(await connected);
    await sending;
    await client.close();
  });

  test('does not wait for the end of what a proxy says that refuses', async () => {
    await using proxy = await listen(
      answering(socket => socket.write('HTTP/1.1 407 Refused\r\nContent-Length: 9\r\n\r\n')),
    );
    using _ = proxyVariables({ HTTP_PROXY: `http://${proxy.host}` });
    const client = open(HTTP);
    for (const _ of [1, 2])
      await assertInTime(() => assert.rejects(client.send(REQUEST), { kind: 'proxy-refused' }));
    await client.close();
  });

  test('ends with its tunnel that is being made when the client is closed', async () => {
    const asked = Promise.withResolvers<Socket>();
    await using proxy = await listen(
      answering(socket => socket.write(ESTABLISHED, () => asked.resolve(socket))),
    );
    using _ = proxyVariables({ HTTPS_PROXY: `http://${proxy.host}` });
    const client = open(HTTPS, { timeout: 60_000 });
    const sending = assert.rejects(client.send(REQUEST), { kind: 'connection' });
    const gone = closed(await asked.promise);
    await client.close();
    await Promise.all([gone, sending]);
  });
});

suite('a SOCKS 5 proxy', { timeout: 30_000 }, () => {
  test('carries requests, with the credentials in its URL decoded', async () => {
    await using agent = await listen(answering(socket => socket.write(OK)));
    const asked: string[] = [];
    await using proxy = await listen(socket => void socks(socket, agent.host, asked));
    using _ = proxyVariables({ HTTP_PROXY: `socks5://us%40er:p%3Ass@${proxy.host}` });
    const client = open('http://agent.test:8080', { timeout: 10_000 });
    for (const _ of [1, 2]) assert.equal((await client.send(REQUEST)).status, 200);
    await client.close();
    assert.deepEqual(asked, ['us@er:p:ss', 'agent.test:8080']);
  });

  test('carries TLS', { skip: !hasOpenssl && 'needs openssl' }, async () => {
    using keys = makeKeys('DNS:agent.test');
    trust(keys);
    await using agent = await listenTls(
      keys,
      answering(socket => socket.write(OK)),
    );
    await using proxy = await listen(socket => void socks(socket, agent.host, []));
    using _ = proxyVariables({ HTTPS_PROXY: `socks5://user:pass@${proxy.host}` });
    assert.equal((await send(HTTPS, { timeout: 10_000 })).status, 200);
  });

  const silences = { 'at once': 0, 'after the greeting': 1, 'after the credentials': 2 };
  for (const [name, answers] of Object.entries(silences)) {
    test(`that falls silent ${name} ends the request in time, and is let go of`, async () => {
      await using proxy = await listen(socket => void socks(socket, '', [], answers));
      using _ = proxyVariables({ HTTP_PROXY: `socks5://user:pass@${proxy.host}` });
      const client = open(HTTP, { timeout: 500 });
      const connected = proxy.connected();
      await assertInTime(() => assert.rejects(client.send(REQUEST)));
      const gone = closed((await connected).resume());
      await client.close();
      await gone;
    });
  }
});

suite('HTTP/1.1 is spoken where HTTP/2 is to be had', {
  skip: !hasOpenssl && 'needs openssl',
}, () => {
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
      const sending = send(`https://${server.host}`, { timeout: 10_000 });
      if (scheme === 'https') await assert.rejects(sending);
      else assert.equal((await sending).status, 200);
      assert.deepEqual([...new Set(protocols)], ['http/1.1']);
    });
  }
});

/** The HTTP client itself gives up only after ten seconds or five minutes. */
async function assertInTime(act: () => Promise<void>): Promise<void> {
  const start = performance.now();
  await act();
  assert.ok(performance.now() - start < 8000);
}

/** Connects a socket to the host that it asks for. */
async function tunnel(client: Socket): Promise<void> {
  const [head] = await once(client, 'data');
  const [, port = ''] = /^CONNECT [\d.]+:(\d+) /.exec(String(head)) ?? [];
  const upstream = connect(Number(port), '127.0.0.1', () => {
    client.write(ESTABLISHED);
    upstream.pipe(client).pipe(upstream);
  });
  upstream.on('error', () => client.destroy());
}

/** Speaks SOCKS 5 (RFC 1928, RFC 1929), and always connects to `host`. */
async function socks(
  client: Socket,
  host: string,
  asked: string[],
  answers = Number.POSITIVE_INFINITY,
): Promise<void> {
  // Unlike once(), does not reject when the connection is reset.
  const next = () => new Promise<Buffer>(resolve => void client.once('data', resolve));
  await next();
  if (answers < 1) return;
  client.write(Buffer.from([5, 2]));
  const login = await next();
  const end = 2 + (login[1] ?? 0);
  asked.push(`${login.toString('utf8', 2, end)}:${login.toString('utf8', end + 1)}`);
  if (answers < 2) return;
  client.write(Buffer.from([1, 0]));
  const command = await next();
  if (answers < 3) return;
  asked.push(
    `${command.toString('utf8', 5, command.length - 2)}:${command.readUInt16BE(command.length - 2)}`,
  );
  const [address, port] = host.split(':');
  const upstream = connect(Number(port), address, () => {
    client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    upstream.pipe(client).pipe(upstream);
  });
  upstream.on('error', () => client.destroy());
}
