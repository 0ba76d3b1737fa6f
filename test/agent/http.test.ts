import assert from 'node:assert/strict';
import { before, describe, suite, test } from 'node:test';
import { openHttp } from '../../src/agent/http.ts';
import { hasOpenssl, makeKeys } from '../action/proxy.ts';
import {
  answering,
  closed,
  drip,
  listen,
  listenTls,
  OK,
  proxyVariables,
  request,
  send,
  type Talk,
  trust,
} from './sockets.ts';

const INTERIM = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n';

// Without its bound, most of these would wait for ever.
suite('an attempt', { timeout: 20_000 }, () => {
  before(() => void proxyVariables({}));

  describe('comes to an end where the answer does not', () => {
    const answers: Readonly<Record<string, readonly [kind: string, talk: Talk]>> = {
      'that never begins': ['stalled', () => {}],
      'that stops half-way': [
        'stalled',
        answering(socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}')),
      ],
      'whose body drips': [
        'stalled',
        answering(socket => {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n');
          drip(socket, ' ');
        }),
      ],
      'whose headers drip': [
        'stalled',
        answering(socket => {
          socket.write('HTTP/1.1 200 OK\r\n');
          drip(socket, 'X: y\r\n');
        }),
      ],
      'whose trailers drip': [
        'stalled',
        answering(socket => {
          socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n');
          drip(socket, 'X: y\r\n');
        }),
      ],
      'that is announced again and again': [
        'bad-answer',
        answering(socket => {
          socket.write(INTERIM.repeat(15));
          drip(socket, INTERIM);
        }),
      ],
    };
    for (const [name, [kind, talk]] of Object.entries(answers)) {
      test(name, async () => {
        await using agent = await listen(talk);
        const tried = `GET http://${agent.host}/path`;
        await assert.rejects(send(`http://${agent.host}`), ({ message, ...error }: Error) => {
          assert.partialDeepStrictEqual(error, { kind });
          assert.ok(message.startsWith(`${tried} `), message);
          return true;
        });
      });
    }
  });

  test('gives up on a connection that is not made in time', async () => {
    await using agent = await listen();
    await assert.rejects(send(`https://${agent.host}`), { kind: 'unreachable' });
  });

  test('takes the answer after some announcements', async () => {
    await using agent = await listen(
      answering(socket => {
        socket.write(INTERIM.replace('\r\n\r\n', '\r\nRetry-After: 7\r\n\r\n').repeat(20));
        socket.write(OK);
      }),
    );
    const { status, text, retryAfter } = await send(`http://${agent.host}`);
    assert.deepEqual([status, text, retryAfter], [200, '{}', undefined]);
  });

  test('takes an answer without the mark that says it is UTF-8', async () => {
    await using agent = await listen(
      answering(socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\uFEFF{}')),
    );
    assert.equal((await send(`http://${agent.host}`)).text, '{}');
  });
});

suite('a pool of connections', { timeout: 20_000 }, () => {
  before(() => void proxyVariables({}));

  test('speaks HTTP/1.1 where HTTP/2 is to be had', { skip: !hasOpenssl && 'needs openssl' }, async () => {
    using keys = makeKeys();
    trust(keys);
    const protocols: unknown[] = [];
    await using agent = await listenTls(keys, socket => {
      protocols.push('alpnProtocol' in socket ? socket.alpnProtocol : undefined);
      answering(() => socket.write(OK))(socket);
    });
    assert.equal((await send(`https://${agent.host}`, { timeoutMs: 10_000 })).status, 200);
    assert.deepEqual(protocols, ['http/1.1']);
  });

  test('sends no request before the one ahead of it on its connection is answered', async () => {
    const early: string[] = [];
    await using other = await listen(answering(socket => socket.write(OK)));
    await using agent = await listen(
      answering(async (socket, count) => {
        if (count > 1) early.push(`request ${count}`);
        // What was sent already would arrive while these come and go.
        for (let turn = 0; turn < 5; turn += 1) await send(`http://${other.host}`, { timeoutMs: 10_000 });
        if (count === 1) assert.deepEqual(early, []);
        socket.write(OK);
      }),
    );
    const http = await openHttp(`http://${agent.host}`, 1, 10_000);
    await Promise.all([http.send(request()), http.send(request())]);
    await http.close();
    assert.deepEqual([early, agent.connections.length], [['request 2'], 1]);
  });

  test('ends its idle connections when it is closed', async () => {
    await using agent = await listen(answering(socket => socket.write(OK)));
    const http = await openHttp(`http://${agent.host}`, 1, 10_000);
    const connected = agent.connected();
    await http.send(request());
    const gone = closed(await connected);
    await http.close();
    await gone;
  });

  test('ends those in use when it is closed', async () => {
    await using agent = await listen();
    const http = await openHttp(`http://${agent.host}`, 1, 10_000);
    const connected = agent.connected();
    const sending = assert.rejects(http.send(request()), { kind: 'connection' });
    const gone = closed((await connected).resume());
    await http.close();
    await Promise.all([gone, sending]);
  });

  test('ends those that are being made when it is closed', async () => {
    await using agent = await listen();
    const http = await openHttp(`https://${agent.host}`, 1, 60_000);
    const connected = agent.connected();
    const sending = assert.rejects(http.send(request()), { kind: 'connection' });
    const gone = closed((await connected).resume());
    await http.close();
    await Promise.all([gone, sending]);
  });
});
