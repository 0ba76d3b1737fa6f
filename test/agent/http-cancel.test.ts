import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { answering, closed, listen, OK, open, proxyVariables, REQUEST, send } from './sockets.ts';

suite('a signal that cancels', { timeout: 20_000 }, () => {
  before(() => void proxyVariables({}));
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
