import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { before, describe, test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { listenHere } from '../../dev/agent/service.ts';
import type { Client, RequestLimits } from '../../src/agent/client.ts';
import { AgentError, type FailureKind } from '../../src/agent/failure.ts';
import { readResponse } from '../../src/agent/http.ts';
import {
  GET,
  openTestClient,
  postRequest,
  sendOnce,
  setProxyVariables,
  trustCertificate,
} from '../support/open-client.ts';
import {
  afterHead,
  answering,
  type ConnectionHandler,
  closed,
  dripping,
  http,
  onRequest,
  rawServer,
} from '../support/raw-server.ts';
import { createCertificate, hasOpenssl } from '../support/tls-certificate.ts';

const OK = http(200, '{}');
const INTERIM = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const LONG = 'HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n';

const KIB = 1024;
const MIB = 1024 * KIB;

before(() => void setProxyVariables({}));

const LATE = 'failed: the response did not end within timeout';

type Unusable = readonly [handle: ConnectionHandler, words: string, timeout?: number];

const UNUSABLE: Readonly<Record<string, Unusable>> = {
  'it never comes': [onRequest(() => {}), LATE, 200],
  'it stops half-way': [answering(`${LONG}{}`), LATE, 200],
  'its trailers drip': [dripping(`${CHUNKED}0\r\n`, 'X: y\r\n'), LATE, 200],
  'it follows endless 103 responses': [dripping(INTERIM, INTERIM), LATE, 200],
  'it is longer than 4 MiB': [
    answering(`HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n${'x'.repeat(4 * MIB + 1)}`),
    'answered 200 with more than 4 MiB',
  ],
  'it is cut off': [onRequest(socket => socket.end(`${LONG}{}`)), 'failed: '],
  'it is in another protocol': [answering('SSH-2.0-OpenSSH_9.6\r\n'), 'failed: .*(HTTP|HPE_)'],
};

describe('a response', { timeout: 20_000 }, () => {
  for (const [name, [handle, words, timeout = 10_000]] of Object.entries(UNUSABLE)) {
    test(`a request fails, and frees its connection, if its response is unusable [${name}]`, async () => {
      await using server = await rawServer(handle);
      await using client = openTestClient(`http://${server.host}`);
      const message = RegExp(`^GET http://${server.host}/path ${words}`);
      const kind = /^(connection|bad-response)$/;
      await assert.rejects(client.send({ ...GET, timeout }), { kind, message });
      await Promise.all(server.connections.map(closed));
    });
  }

  test('a response may have 4 MiB, and loses its byte order mark', async () => {
    const body = `\uFEFF${'x'.repeat(4 * MIB - 3)}`;
    await using server = await rawServer(answering(http(201, body)));
    assert.equal((await sendOnce(`http://${server.host}`)).body, body.slice(1));
  });
});

function* slices(count: number): Generator<Buffer> {
  for (let index = 0; index < count; index += 1) yield Buffer.alloc(64 * KIB, index);
}

/** Sends more than a connection can buffer, so sending cannot end before the server reads. */
function sendLarge(
  client: Client,
  { body = slices(512), ...limits }: Partial<RequestLimits> & { body?: Iterable<Buffer> } = {},
) {
  return client.send({ ...postRequest(body, 32 * MIB), ...limits });
}

describe('a request body', { timeout: 20_000 }, () => {
  test('a body arrives whole, each chunk restarts the timeout, and onSent gets its size', async t => {
    const sent: number[] = [];
    let received = Buffer.alloc(0);
    await using server = await rawServer(
      onRequest((socket, { body }) => {
        received = Buffer.from(body);
        socket.write(OK);
      }),
    );
    t.mock.timers.enable({ apis: ['setTimeout'] });
    function* slow(): Generator<Buffer> {
      for (const slice of slices(3)) {
        yield slice;
        t.mock.timers.tick(900);
      }
    }
    await using client = openTestClient(`http://${server.host}`);
    const onSent = (bytes: number) => sent.push(bytes);
    await client.send({ ...postRequest(slow(), 3 * 64 * KIB), timeout: 1000, onSent });
    assert.ok(received.equals(Buffer.concat([...slices(3)])));
    assert.deepEqual(sent, [65_536, 65_536, 65_536]);
  });

  type Unread = readonly [response: string, kind: FailureKind, message: RegExp];
  const UNREAD: Readonly<Record<string, Unread>> = {
    'no response': ['', 'connection', /the response did not end within timeout/],
    'a 200': [OK, 'connection', /answered 200 before everything was sent/],
    'a 413': [http(413), 'too-large', /answered 413/],
  };
  for (const [name, [response, kind, message]] of Object.entries(UNREAD))
    test(`a request whose body nobody reads fails [${name}]`, async () => {
      await using server = await rawServer(afterHead(socket => socket.write(response)));
      const limits = response === '' ? { timeout: 200 } : {};
      await using client = openTestClient(`http://${server.host}`);
      await assert.rejects(sendLarge(client, limits), { kind, message });
    });

  test('a body is not read any further once its request has ended', async () => {
    await using server = await rawServer(afterHead(socket => socket.write(http(413))));
    await using client = openTestClient(`http://${server.host}`);
    const left = Promise.withResolvers<string>();
    let isOver = false;
    function* watched(): Generator<Buffer> {
      try {
        for (const slice of slices(512)) {
          yield slice;
          if (isOver) left.resolve('asked for more');
        }
      } finally {
        left.resolve('closed');
      }
    }
    await assert.rejects(sendLarge(client, { body: watched() }), { kind: 'too-large' });
    isOver = true;
    assert.equal(await left.promise, 'closed');
  });

  test('a body that throws rejects its request with its error, and the next request succeeds', async () => {
    const thrown = new AgentError('file-changed', 'It shrank.');
    await using server = await rawServer(answering(OK));
    await using client = openTestClient(`http://${server.host}`);
    function* broken(): Generator<Buffer> {
      yield* slices(1);
      throw thrown;
    }
    await assert.rejects(client.send(postRequest(broken(), MIB)), error => error === thrown);
    assert.equal((await client.send(postRequest(slices(16), MIB))).status, 200);
  });
});

test('a new TLS connection resumes the session of an earlier one', {
  skip: !hasOpenssl && 'needs openssl',
}, async () => {
  using keys = createCertificate();
  trustCertificate(keys);
  let resumed = 0;
  const server = createServer({ key: keys.key, cert: keys.cert }, ({ socket }, response) => {
    if (socket instanceof TLSSocket && socket.isSessionReused()) resumed += 1;
    response.writeHead(200, { Connection: 'close' }).end();
  });
  const port = await listenHere(server);
  await using client = openTestClient(`https://127.0.0.1:${port}`);
  for (let count = 0; count < 5; count += 1) await client.send(GET);
  server.close();
  assert.ok(resumed >= 3, `${resumed} of 4 were resumed`);
});

describe('connections', { timeout: 20_000 }, () => {
  test('connections are reused, so there are never more than parallel requests', async () => {
    await using server = await rawServer(answering(OK));
    await using client = openTestClient(`http://${server.host}`);
    const lane = async () => {
      for (let count = 0; count < 10; count += 1) {
        await client.send(GET);
        await client.receive(GET, readResponse);
      }
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
    assert.equal(server.connections.length, 4);
  });

  for (const scheme of ['http', 'https'])
    test(`cancelling the job ends all connections, whether they wait or send [${scheme}]`, async () => {
      const controller = new AbortController();
      const { signal } = controller;
      await using server = await rawServer(socket => void socket.pause());
      await using client = openTestClient(`${scheme}://${server.host}`);
      const requests = [client.send({ ...GET, signal }), sendLarge(client, { signal })];
      const sending = requests.map(request => assert.rejects(request, { kind: 'cancelled' }));
      await server.connected(2);
      controller.abort();
      await Promise.all(sending);
      await Promise.all(server.connections.map(closed));
    });

  test('no connection is made after the job was cancelled', async () => {
    const sending = sendOnce('http://127.0.0.1:1', { signal: AbortSignal.abort() });
    await assert.rejects(sending, { kind: 'cancelled', isRetryable: false });
  });

  test('a response is not read if its request is cancelled as it arrives', async t => {
    await using server = await rawServer(answering(OK));
    await using client = openTestClient(`http://${server.host}`);
    const controller = new AbortController();
    const cancel = () => controller.abort();
    // undici publishes this after it has resolved the promise of the response.
    subscribe('undici:request:trailers', cancel);
    t.after(() => unsubscribe('undici:request:trailers', cancel));
    let isRead = false;
    const receiving = client.receive({ ...GET, signal: controller.signal }, async () => {
      isRead = true;
    });
    await assert.rejects(receiving, { kind: 'cancelled' });
    assert.equal(isRead, false);
  });
});

test('each chunk of a streamed response restarts the timeout', async t => {
  const answered = Promise.withResolvers<Socket>();
  await using server = await rawServer(
    onRequest(socket => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n1');
      answered.resolve(socket);
    }),
  );
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await using client = openTestClient(`http://${server.host}`);
  const read = await client.receive({ ...GET, timeout: 1000 }, async ({ body }) => {
    let text = '';
    for await (const chunk of body) {
      text += String(chunk);
      t.mock.timers.tick(900);
      if (text.length < 3) (await answered.promise).write(String(text.length + 1));
    }
    return text;
  });
  assert.equal(read, '123');
});
