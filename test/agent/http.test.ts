import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { answering, closed, drip, listen, OK, open, proxyVariables, REQUEST, send, type Talk } from './sockets.ts';

const INTERIM = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

/** What a server says at once, and what it then says again and again. */
interface Answer {
  readonly kind: string;
  readonly says?: string;
  readonly drips?: string;
  readonly message?: RegExp;
}

const answerOf = (length: number, body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${body}`;

const ANSWERS: Readonly<Record<string, Answer>> = {
  'that never begins': { kind: 'stalled' },
  'that stops half-way': { kind: 'stalled', says: answerOf(9, '{}') },
  'whose body drips': { kind: 'stalled', says: answerOf(900_000, ''), drips: ' ' },
  'whose headers drip': { kind: 'stalled', says: 'HTTP/1.1 200 OK\r\n', drips: 'X: y\r\n' },
  'whose trailers drip': { kind: 'stalled', says: `${CHUNKED}2\r\n{}\r\n0\r\n`, drips: 'X: y\r\n' },
  'that is announced again and again': { kind: 'bad-answer', says: INTERIM.repeat(15), drips: INTERIM },
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
    kind: 'bad-answer',
    says: CHUNKED,
    drips: `2;${'x'.repeat(100_000)}\r\n{}\r\n`,
    message: /^The answer to one request is longer than 1 MiB, headers and framing counted\.$/,
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

// Without its bound, most of these would wait for ever.
suite('an attempt', { timeout: 20_000 }, () => {
  for (const [name, answer] of Object.entries(ANSWERS)) {
    test(`comes to an end at an answer ${name}`, async () => {
      await using agent = await listen(saying(answer));
      const timeoutMs = answer.kind === 'stalled' ? 200 : 10_000;
      await assert.rejects(send(`http://${agent.host}`, { timeoutMs }), (error: unknown) => {
        assert.ok(error instanceof AgentError);
        assert.equal(error.kind, answer.kind, error.message);
        assert.match(error.message, answer.message ?? new RegExp(`^GET http://${agent.host}/path `));
        return true;
      });
    });
  }

  test('gives up on a connection that is not made in time', async () => {
    await using agent = await listen();
    await assert.rejects(send(`https://${agent.host}`), { kind: 'unreachable' });
  });

  test('takes the answer after some announcements', async () => {
    const announced = INTERIM.replace('\r\n\r\n', '\r\nRetry-After: 7\r\n\r\n').repeat(20);
    await using agent = await listen(saying({ says: announced + OK }));
    const { status, text, retryAfter } = await send(`http://${agent.host}`, { timeoutMs: 10_000 });
    assert.deepEqual([status, text, retryAfter], [200, '{}', undefined]);
  });

  test('takes the longest answer that is read, without the mark that says it is UTF-8', async () => {
    const body = `\uFEFF${'x'.repeat(128 * 1024 - 3)}`;
    await using agent = await listen(saying({ says: answerOf(128 * 1024, body) }));
    assert.equal((await send(`http://${agent.host}`, { timeoutMs: 10_000 })).text, body.slice(1));
  });
});

suite('a pool of connections', { timeout: 20_000 }, () => {
  const patient = { timeoutMs: 60_000 };

  test('has no more connections than it may, and uses them again', async () => {
    await using agent = await listen(answering(socket => socket.write(OK)));
    const http = open(`http://${agent.host}`, { ...patient, connections: 2 });
    await Promise.all([1, 2, 3, 4].map(() => http.send(REQUEST)));
    await http.close();
    assert.equal(agent.connections.length, 2);
  });

  for (const [state, wait] of Object.entries({ made: 2, 'being made': 0 })) {
    test(`sends over those that were ${state} ahead`, async () => {
      await using agent = await listen(answering(socket => socket.write(OK)));
      const http = open(`http://${agent.host}`, { ...patient, connections: 2 });
      http.connectAhead(2);
      while (agent.connections.length < wait) await agent.connected();
      await Promise.all([1, 2, 3, 4].map(() => http.send(REQUEST)));
      await http.close();
      assert.equal(agent.connections.length, 2);
    });
  }

  test('says of one that could not be made ahead what it says of any', async () => {
    const agent = await listen();
    const http = open(`http://${agent.host}`, patient);
    await agent[Symbol.asyncDispose]();
    http.connectAhead(1);
    for (const _ of [1, 2]) await assert.rejects(http.send(REQUEST), { kind: 'unreachable' });
    await http.close();
  });

  test('ends its idle connections when it is closed', async () => {
    await using agent = await listen(answering(socket => socket.write(OK)));
    const http = open(`http://${agent.host}`, patient);
    const connected = agent.connected();
    await http.send(REQUEST);
    const gone = closed(await connected);
    await http.close();
    await gone;
  });

  for (const scheme of ['http', 'https']) {
    test(`ends those in use or being made when it is closed (${scheme})`, async () => {
      await using agent = await listen();
      const http = open(`${scheme}://${agent.host}`, patient);
      const connected = agent.connected();
      const sending = assert.rejects(http.send(REQUEST), { kind: 'connection' });
      http.connectAhead(1);
      await connected;
      while (agent.connections.length < 2) await agent.connected();
      const gone = agent.connections.map(socket => closed(socket.resume()));
      await http.close();
      await Promise.all([...gone, sending]);
    });
  }
});

suite('a signal that cancels', { timeout: 20_000 }, () => {
  const CANCELLED = { kind: 'cancelled', retryable: false, final: true };

  test('before a request is made keeps it from being sent, also where it could not have been', async () => {
    const agent = await listen();
    const http = open(`http://${agent.host}`, { timeoutMs: 60_000, cancel: AbortSignal.abort() });
    await assert.rejects(http.send(REQUEST), CANCELLED);
    assert.equal(agent.connections.length, 0);
    await agent[Symbol.asyncDispose]();
    await assert.rejects(http.send(REQUEST), CANCELLED);
    await http.close();
  });

  test('in the turn in which a request is made keeps it from being sent once it could be', async () => {
    const counts: number[] = [];
    await using other = await listen(answering(socket => socket.write(OK)));
    await using agent = await listen(answering((_, count) => counts.push(count)));
    const controller = new AbortController();
    const http = open(`http://${agent.host}`, { timeoutMs: 60_000, cancel: controller.signal });
    const connected = agent.connected();
    const sending = assert.rejects(http.send(REQUEST), CANCELLED);
    controller.abort();
    await Promise.all([sending, connected]);
    // What was sent would arrive while these come and go.
    for (let turn = 0; turn < 5; turn += 1) await send(`http://${other.host}`, { timeoutMs: 60_000 });
    await http.close();
    assert.deepEqual(counts, []);
  });

  for (const scheme of ['http', 'https']) {
    test(`ends at once a request in flight, one that waits, and their connection (${scheme})`, async () => {
      await using agent = await listen();
      const controller = new AbortController();
      const http = open(`${scheme}://${agent.host}`, { timeoutMs: 60_000, cancel: controller.signal });
      const connected = agent.connected();
      const sending = [1, 2].map(() => assert.rejects(http.send(REQUEST), CANCELLED));
      const gone = closed((await connected).resume());
      controller.abort();
      await Promise.all(sending);
      await http.close();
      await gone;
    });
  }
});
