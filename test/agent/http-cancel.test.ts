import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { openHttp } from '../../src/agent/http.ts';
import { answering, closed, listen, OK, proxyVariables, request } from './sockets.ts';

const CANCELLED = { kind: 'cancelled', retryable: false, final: true };

suite('a request that is cancelled', { timeout: 20_000 }, () => {
  before(() => void proxyVariables({}));

  test('before it is made is not sent at all', async () => {
    await using agent = await listen();
    const http = await openHttp(`http://${agent.host}`, 1, 60_000);
    await assert.rejects(http.send(request({ cancel: AbortSignal.abort() })), CANCELLED);
    await http.close();
    assert.equal(agent.connections.length, 0);
  });

  test('before it is made is cancelled also where it could not have been sent', async () => {
    const agent = await listen();
    await agent[Symbol.asyncDispose]();
    const http = await openHttp(`http://${agent.host}`, 1, 60_000);
    await assert.rejects(http.send(request({ cancel: AbortSignal.abort() })), CANCELLED);
    await http.close();
  });

  test('while its connection is being made', async () => {
    await using agent = await listen();
    const http = await openHttp(`https://${agent.host}`, 1, 60_000);
    const controller = new AbortController();
    const connected = agent.connected();
    const sending = assert.rejects(http.send(request({ cancel: controller.signal })), CANCELLED);
    await connected;
    controller.abort();
    await sending;
    await http.close();
  });

  test('in the turn in which it is made is not sent once it could be', async () => {
    const counts: number[] = [];
    await using agent = await listen(
      answering((socket, count) => {
        counts.push(count);
        socket.write(OK);
      }),
    );
    const http = await openHttp(`http://${agent.host}`, 1, 60_000);
    const controller = new AbortController();
    const sending = assert.rejects(http.send(request({ cancel: controller.signal })), CANCELLED);
    controller.abort();
    await sending;
    assert.equal((await http.send(request())).status, 200);
    await http.close();
    assert.deepEqual(counts, [1]);
  });

  test('while it waits for a connection, and the one ahead of it goes on', async () => {
    const arrived = Promise.withResolvers<() => void>();
    await using agent = await listen(
      answering((socket, count) => {
        assert.equal(count, 1);
        arrived.resolve(() => socket.write(OK));
      }),
    );
    const http = await openHttp(`http://${agent.host}`, 1, 60_000);
    const controller = new AbortController();
    const ahead = http.send(request());
    const answer = await arrived.promise;
    const waiting = assert.rejects(http.send(request({ cancel: controller.signal })), CANCELLED);
    controller.abort();
    await waiting;
    answer();
    assert.equal((await ahead).status, 200);
    await http.close();
  });

  test('while it waits for its answer ends its connection at once', async () => {
    const controller = new AbortController();
    await using agent = await listen(answering(() => controller.abort()));
    const http = await openHttp(`http://${agent.host}`, 1, 60_000);
    const gone = agent.connected().then(socket => closed(socket));
    await assert.rejects(http.send(request({ cancel: controller.signal })), CANCELLED);
    await gone;
    await http.close();
  });
});
