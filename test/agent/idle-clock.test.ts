import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { restartOnChunk, startIdleClock } from '../../src/agent/idle-clock.ts';

test('the idle clock runs out only if it is not restarted in time', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { ranOut, signal, restart } = startIdleClock(
    100,
    () => new AgentError('connection', 'Idle.'),
  );
  t.mock.timers.tick(99);
  restart();
  t.mock.timers.tick(99);
  assert.equal(signal.aborted, false);
  t.mock.timers.tick(1);
  assert.equal(signal.aborted, true);
  await assert.rejects(ranOut, /Idle/);
});

test('each chunk of a streamed answer restarts the timeout', async () => {
  async function* chunks() {
    yield* [Buffer.from('a'), Buffer.from('b'), Buffer.from('c')];
  }
  let restarts = 0;
  const received: number[] = [];
  for await (const { length } of restartOnChunk(chunks(), () => void (restarts += 1)))
    received.push(length * restarts);
  assert.deepEqual(received, [1, 2, 3]);
});
