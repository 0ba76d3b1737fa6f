import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { describe, test } from 'node:test';
import { AgentError, type FailureKind } from '../../src/agent/failure.ts';
import { openLightHttp } from '../../src/agent/light-http.ts';
import { proxyVariables } from './sockets.ts';

interface Listening extends AsyncDisposable {
  readonly origin: string;
  readonly connections: () => number;
}

/** A server that says the same to everyone, and then nothing. */
async function saying(text: string): Promise<Listening> {
  let connections = 0;
  const sockets = new Set<{ destroy: () => void }>();
  const server: Server = createServer(socket => {
    connections += 1;
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => socket.write(text));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function get(origin: string, timeoutMs: number, cancel = new AbortController().signal) {
  const http = openLightHttp(origin, timeoutMs);
  try {
    return await http.send({ method: 'GET', path: '/metrics?x', headers: {}, cancel });
  } finally {
    await http.close();
  }
}

const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('the light client', () => {
  test('brings back an answer', async () => {
    await using server = await saying(ok('{}'));
    const { status, text, tried } = await get(server.origin, 5000);
    assert.deepEqual([status, text, tried], [200, '{}', `GET ${server.origin}/metrics`]);
  });

  test('takes a byte order mark off', async () => {
    await using server = await saying('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\uFEFF{}');
    assert.equal((await get(server.origin, 5000)).text, '{}');
  });

  const cases: Readonly<Record<string, readonly [said: string, kind: FailureKind]>> = {
    'an answer that is too long': [ok('x'.repeat(70_000)), 'bad-answer'],
    'another protocol': ['HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', 'bad-answer'],
    'an answer that stops half-way': ['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{', 'stalled'],
    'no answer': ['', 'stalled'],
  };
  for (const [name, [said, kind]] of Object.entries(cases)) {
    test(`ends at ${name}`, async () => {
      await using server = await saying(said);
      const isKind = (error: unknown) => error instanceof AgentError && error.kind === kind;
      await assert.rejects(get(server.origin, 300), isKind);
    });
  }

  test('ends when it is cancelled', async () => {
    await using server = await saying('');
    const isCancelled = (error: unknown) => error instanceof AgentError && error.kind === 'cancelled';
    await assert.rejects(get(server.origin, 60_000, AbortSignal.timeout(50)), isCancelled);
  });

  test('sends nothing past what is named as a proxy and is none', async () => {
    using _ = proxyVariables({ https_proxy: 'socks5://user:password@host:1080' });
    await using server = await saying('');
    await assert.rejects(get(server.origin.replace('http:', 'https:'), 5000), {
      kind: 'unreachable',
      message:
        /^GET https:\S+ was not sent: the environment variable https_proxy holds no URL of an http or https proxy/,
    });
    assert.equal(server.connections(), 0);
  });

  test('uses no proxy for http to this machine', async () => {
    await using proxy = await saying(ok('{"from":"proxy"}'));
    await using server = await saying(ok('{"from":"agent"}'));
    using _ = proxyVariables({ http_proxy: proxy.origin });
    assert.equal((await get(server.origin, 5000)).text, '{"from":"agent"}');
    assert.equal(proxy.connections(), 0);
  });
});
