import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { before, suite, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { hasOpenssl, makeKeys } from '../../dev/agent/keys.ts';
import { AgentError, isFatal } from '../../src/agent/failure.ts';
import { closeWith, listenHere } from '../listening.ts';
import {
  afterHead,
  answering,
  closed,
  drip,
  listen,
  OK,
  open,
  post,
  proxyVariables,
  REQUEST,
  send,
  type Talk,
  TOKEN,
  trust,
} from './sockets.ts';

const INTERIM = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

/** What a server sends at once, and what it then repeats. */
interface Answer {
  readonly kind: string;
  readonly says?: string;
  readonly drips?: string;
  readonly message?: RegExp;
}

const answerOf = (length: number, body: string) =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${body}`;

const ANSWERS: Readonly<Record<string, Answer>> = {
  'that never begins': { kind: 'stalled' },
  'that stops half-way': { kind: 'stalled', says: answerOf(9, '{}') },
  'whose body drips': { kind: 'stalled', says: answerOf(900_000, ''), drips: ' ' },
  'whose headers drip': { kind: 'stalled', says: 'HTTP/1.1 200 OK\r\n', drips: 'X: y\r\n' },
  'whose trailers drip': { kind: 'stalled', says: `${CHUNKED}2\r\n{}\r\n0\r\n`, drips: 'X: y\r\n' },
  'that is announced again and again': {
    kind: 'stalled',
    says: INTERIM.repeat(15),
    drips: INTERIM,
  },
  'whose body has no end': {
    kind: 'bad-answer',
    says: answerOf(900_000, 'x'.repeat(128 * 1024)),
    drips: 'x',
    message: /answered 200 with a response larger than 128 KiB\.$/,
  },
  'whose headers have no end': {
    kind: 'bad-answer',
    says: 'HTTP/1.1 200 OK\r\n',
    drips: `X: ${'y'.repeat(1000)}\r\n`,
    message: /the answer's headers are too long/,
  },
  'whose chunks have extensions without end': {
    kind: 'stalled',
    says: CHUNKED,
    drips: `2;${'x'.repeat(100_000)}\r\n{}\r\n`,
  },
  'in another protocol': {
    kind: 'connection',
    says: 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
  },
};

const saying = ({ says = '', drips }: Pick<Answer, 'says' | 'drips'>): Talk =>
  answering(socket => {
    socket.write(says);
    if (drips !== undefined) drip(socket, drips);
  });

before(() => void proxyVariables({}));

// Without a bound, most of these would never end.
suite('an attempt', { timeout: 20_000 }, () => {
  for (const [name, answer] of Object.entries(ANSWERS)) {
    test(`comes to an end at an answer ${name}`, async () => {
      await using agent = await listen(saying(answer));
      const timeout = answer.kind === 'stalled' ? 200 : 10_000;
      await assert.rejects(send(`http://${agent.host}`, { timeout }), (error: unknown) => {
        assert.ok(error instanceof AgentError);
        assert.equal(error.kind, answer.kind, error.message);
        assert.match(
          error.message,
          answer.message ?? new RegExp(`^GET http://${agent.host}/path `),
        );
        return true;
      });
    });
  }

  for (const timeout of [200, 2000]) {
    test(`gives up on a connection that is not made within ${timeout} ms`, async () => {
      await using agent = await listen();
      const kind = timeout === 200 ? 'stalled' : 'unreachable';
      await assert.rejects(send(`https://${agent.host}`, { timeout }), { kind });
    });
  }

  test('takes the answer after some announcements', async () => {
    const announced = INTERIM.replace('\r\n\r\n', '\r\nRetry-After: 7\r\n\r\n').repeat(20);
    await using agent = await listen(saying({ says: announced + OK }));
    const { status, text, retryAfter } = await send(`http://${agent.host}`, { timeout: 10_000 });
    assert.deepEqual([status, text, retryAfter], [200, '{}', undefined]);
  });

  test('takes the longest answer that is read, without the mark that says it is UTF-8', async () => {
    const body = `\uFEFF${'x'.repeat(128 * 1024 - 3)}`;
    await using agent = await listen(saying({ says: answerOf(128 * 1024, body) }));
    assert.equal((await send(`http://${agent.host}`, { timeout: 10_000 })).text, body.slice(1));
  });
});

test('a request carries the token, the routing, and the headers that the user set', async () => {
  let head = '';
  await using agent = await listen(socket => {
    socket.on('data', data => {
      head += String(data);
      if (head.endsWith('\r\n\r\n')) socket.write(OK);
    });
  });
  const headers = { 'X-Metadata-build': '42' };
  const { label } = await send(`http://${agent.host}/base`, { headers, headerPrefix: 'E2b' });
  assert.equal(label, `GET http://${agent.host}/base/path`);
  for (const line of [
    'GET /base/path?query HTTP/1.1',
    `x-access-token: ${TOKEN}`,
    'e2b-sandbox-id: i1a2b3c4d5',
    'e2b-sandbox-port: 49983',
    'accept: application/json',
    'x-metadata-build: 42',
  ])
    assert.ok(head.toLowerCase().includes(`${line.toLowerCase()}\r\n`), line);
});

test('secrets are redacted from what an agent says', async () => {
  const said = `${TOKEN} a signature and Bearer 0123456789`;
  const body = JSON.stringify({ message: said });
  await using agent = await listen(
    answering(socket =>
      socket.write(`HTTP/1.1 400 Bad\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
    ),
  );
  const client = open(`http://${agent.host}`, {
    timeout: 10_000,
    signature: 'a signature',
    headers: { Authorization: 'Bearer 0123456789' },
  });
  await assert.rejects(client.send(REQUEST), ({ message }: Error) => {
    assert.match(message, /It said: "\*\*\* \*\*\* and \*\*\*"\.$/);
    return true;
  });
  await client.close();
});

for (const status of [202, 203, 206, 226, 299]) {
  test(`an answer of ${status} is not a success`, async () => {
    await using agent = await listen(saying({ says: OK.replace('200', String(status)) }));
    const error = { kind: 'bad-answer', status };
    await assert.rejects(send(`http://${agent.host}`, { timeout: 10_000 }), error);
  });
}

test('an answer of 201 is a success', async () => {
  await using agent = await listen(saying({ says: OK.replace('200', '201') }));
  assert.equal((await send(`http://${agent.host}`, { timeout: 10_000 })).status, 201);
});

const MIB = 1024 * 1024;

async function* slices(count: number): AsyncGenerator<Buffer> {
  for (let index = 0; index < count; index += 1) yield Buffer.alloc(64 * 1024, index);
}

suite('a body', { timeout: 20_000 }, () => {
  test('is told of by the bytes of its chunks', async () => {
    const sent: number[] = [];
    await using agent = await listen(readingAll(3 * 64 * 1024));
    const client = open(`http://${agent.host}`, { timeout: 10_000 });
    const onSent = (bytes: number) => sent.push(bytes);
    const answer = await client.send({ ...post(slices(3), 3 * 64 * 1024), onSent });
    assert.deepEqual([answer.isEarly, sent], [false, [65_536, 65_536, 65_536]]);
    await client.close();
  });

  test('that nobody reads ends the request in time', async () => {
    await using agent = await listen(afterHead(() => {}));
    const client = open(`http://${agent.host}`);
    const message = /nothing more could be sent for longer than timeout\.$/;
    await assert.rejects(client.send(post(slices(512), 32 * MIB)), { kind: 'stalled', message });
    await client.close();
  });

  test('makes an answer early that came before all of it was sent', async () => {
    await using agent = await listen(afterHead(socket => socket.write(OK)));
    const client = open(`http://${agent.host}`, { timeout: 10_000 });
    const answer = await client.send(post(slices(512), 32 * MIB));
    assert.equal(answer.isEarly, true);
    await client.close();
  });

  for (const thrown of [new TypeError('a bug'), new AgentError('file-changed', 'It shrank.')]) {
    test(`that throws a ${thrown.name} fails the request with that very error`, async () => {
      await using agent = await listen(readingAll(MIB));
      const client = open(`http://${agent.host}`, { timeout: 10_000 });
      async function* broken(): AsyncGenerator<Buffer> {
        yield* slices(1);
        throw thrown;
      }
      await assert.rejects(client.send(post(broken(), MIB)), error => error === thrown);
      // The next request is not affected by the dead connection.
      const answer = await client.send(post(slices(16), MIB));
      assert.equal(answer.status, 200);
      await client.close();
    });
  }
});

// In this process, the agent would share the client's event loop.
const AGENT = `
  const { parentPort, workerData } = require('node:worker_threads');
  const server = require('node:https').createServer(workerData, (request, response) => {
    request.resume().on('end', () => response.end('{}'));
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

test('an answer over TLS is not early because the event loop was busy', {
  skip: !hasOpenssl && 'needs openssl',
}, async () => {
  using keys = makeKeys();
  trust(keys);
  const { key, cert } = keys;
  await using worker = new Worker(AGENT, { eval: true, workerData: { key, cert } });
  const [port] = await once(worker, 'message');
  const client = open(`https://127.0.0.1:${port}`, { timeout: 20_000 });
  const busy = setInterval(() => {
    const end = performance.now() + 8;
    while (performance.now() < end);
  }, 5);
  const lane = async () => {
    for (let count = 0; count < 10; count += 1) {
      const { isEarly } = await client.send(post(slices(4), 4 * 64 * 1024));
      assert.equal(isEarly, false);
    }
  };
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(lane)).finally(() => clearInterval(busy));
  await client.close();
});

suite('connections', { timeout: 20_000 }, () => {
  const patient = { timeout: 60_000 };

  test('are used again: there are never more of them than requests at once', async () => {
    await using agent = await listen(answering(socket => socket.write(OK)));
    const client = open(`http://${agent.host}`, patient);
    const lane = async () => {
      for (let count = 0; count < 20; count += 1) await client.send(REQUEST);
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
    for (let burst = 0; burst < 5; burst += 1)
      await Promise.all([1, 2, 3, 4].map(() => client.send(REQUEST)));
    await client.close();
    assert.equal(agent.connections.length, 4);
  });

  test('are new after reconnect, and those in use come to their end', async () => {
    const waiting = Promise.withResolvers<Socket>();
    await using agent = await listen(
      answering((socket, count) => {
        if (agent.connections.length === 1 && count === 1) waiting.resolve(socket);
        else socket.write(OK);
      }),
    );
    const client = open(`http://${agent.host}`, patient);
    const first = client.send(REQUEST);
    const socket = await waiting.promise;
    client.reconnect();
    await client.send(REQUEST);
    const gone = closed(socket);
    socket.write(OK);
    assert.equal((await first).status, 200);
    await gone;
    await client.send(REQUEST);
    assert.equal(agent.connections.length, 2);
    await client.close();
  });

  test('with a stray answer in them fail a single attempt if it is unusable', async () => {
    await using agent = await listen(answering(socket => socket.write(OK + OK)));
    const client = open(`http://${agent.host}`, patient);
    let failed = 0;
    for (let count = 0; count < 20; count += 1)
      await client.send(REQUEST).catch((error: unknown) => {
        assert.ok(error instanceof AgentError, String(error));
        failed += 1;
      });
    assert.ok(failed <= 1, `${failed} failed`);
    await client.close();
  });

  test('that are idle end when the client is closed', async () => {
    await using agent = await listen(answering(socket => socket.write(OK)));
    const client = open(`http://${agent.host}`, patient);
    const connected = agent.connected();
    await client.send(REQUEST);
    const gone = closed(await connected);
    await client.close();
    await gone;
  });

  for (const scheme of ['http', 'https']) {
    test(`in use or being made end when the client is closed (${scheme})`, async () => {
      await using agent = await listen();
      const client = open(`${scheme}://${agent.host}`, patient);
      const connected = agent.connected();
      const sending = [1, 2].map(() =>
        assert.rejects(client.send(REQUEST), { kind: 'connection' }),
      );
      await connected;
      while (agent.connections.length < 2) await agent.connected();
      const gone = agent.connections.map(socket => closed(socket.resume()));
      await client.close();
      await Promise.all([...gone, ...sending]);
    });
  }
});

test('only a cancelled request ends the transfer, not an unreadable file or a lost connection', () => {
  const kinds = ['cancelled', 'file-unreadable', 'connection'] as const;
  const fatal = kinds.map(kind => isFatal(new AgentError(kind, 'It failed.')));
  assert.deepEqual(fatal, [true, false, false]);
});

suite('a signal that cancels', { timeout: 20_000 }, () => {
  const CANCELLED = { kind: 'cancelled', isRetryable: false };

  test('before a request is made keeps it from being sent, also if it could not be', async () => {
    const agent = await listen();
    const client = open(`http://${agent.host}`, { timeout: 60_000, cancel: AbortSignal.abort() });
    await assert.rejects(client.send(REQUEST), CANCELLED);
    assert.equal(agent.connections.length, 0);
    await agent[Symbol.asyncDispose]();
    await assert.rejects(client.send(REQUEST), CANCELLED);
    await client.close();
  });

  test('in the turn in which a request is made keeps it from being sent', async () => {
    const counts: number[] = [];
    await using other = await listen(answering(socket => socket.write(OK)));
    await using agent = await listen(answering((_, count) => counts.push(count)));
    const controller = new AbortController();
    const client = open(`http://${agent.host}`, { timeout: 60_000, cancel: controller.signal });
    const connected = agent.connected();
    const sending = assert.rejects(client.send(REQUEST), CANCELLED);
    controller.abort();
    await Promise.all([sending, connected]);
    // Anything sent would arrive during these turns.
    for (let turn = 0; turn < 5; turn += 1) await send(`http://${other.host}`, { timeout: 60_000 });
    await client.close();
    assert.deepEqual(counts, []);
  });

  for (const scheme of ['http', 'https']) {
    test(`ends requests at once, and close ends their connections (${scheme})`, async () => {
      await using agent = await listen();
      const controller = new AbortController();
      const settings = { timeout: 60_000, cancel: controller.signal };
      const client = open(`${scheme}://${agent.host}`, settings);
      const sending = [1, 2].map(() => assert.rejects(client.send(REQUEST), CANCELLED));
      while (agent.connections.length < 2) await agent.connected();
      const gone = agent.connections.map(socket => closed(socket.resume()));
      controller.abort();
      await Promise.all(sending);
      await client.close();
      await Promise.all(gone);
    });
  }

  test('ends a request whose body is being sent', async () => {
    const reading = Promise.withResolvers<Socket>();
    await using agent = await listen(afterHead(reading.resolve));
    const controller = new AbortController();
    const client = open(`http://${agent.host}`, { timeout: 60_000, cancel: controller.signal });
    const sending = assert.rejects(client.send(post(slices(512), 32 * MIB)), CANCELLED);
    const gone = closed((await reading.promise).resume());
    controller.abort();
    await Promise.all([sending, gone]);
    await client.close();
  });
});

suite('connections that are over', () => {
  const collect = collector();
  const agents: Readonly<Record<string, { talk: Talk; renews: boolean }>> = {
    'that the agent has closed': { talk: answering(socket => socket.end(OK)), renews: false },
    'that were renewed': { talk: answering(socket => socket.write(OK)), renews: true },
  };
  for (const [which, { talk, renews }] of Object.entries(agents)) {
    test(`leave nothing in memory: those ${which}`, async () => {
      const server = createServer(socket => talk(socket.on('error', () => {})));
      const port = await listenHere(server);
      const client = open(`http://127.0.0.1:${port}`, { timeout: 60_000 });
      const sendMany = async (count: number) => {
        for (let sent = 0; sent < count; sent += 1) {
          await client.send(REQUEST);
          if (renews) client.reconnect();
        }
        await setImmediate();
        collect();
        return process.memoryUsage().heapUsed;
      };
      const before = await sendMany(100);
      const after = await sendMany(500);
      await client.close();
      await closeWith(server, []);
      assert.ok(after - before < MIB, `${after - before} bytes more`);
    });
  }
});

/** Returns a function that collects garbage, which needs a flag. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  return () => collect();
}

/** Answers each request after so many bytes of its body. */
function readingAll(length: number): Talk {
  return socket => {
    let read: Buffer<ArrayBufferLike> = Buffer.alloc(0);
    socket.on('data', (data: Buffer) => {
      read = Buffer.concat([read, data]);
      const head = read.indexOf('\r\n\r\n') + 4;
      if (head < 4 || read.length < head + length) return;
      read = read.subarray(head + length);
      socket.write(OK);
    });
  };
}
