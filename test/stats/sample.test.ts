import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { withRetries } from '../../src/agent/retry.ts';
import { takeSamples } from '../../src/stats/sample.ts';
import { failureOf } from '../agent/answers.ts';
import { type Answers, answers, type FakeTime, fakeTime, load } from './timing.ts';

const READINGS = [load(0n), load(1n), load(2n), load(3n), load(4n)] as const;

/** Takes samples 250 ms apart, reading without retries. */
async function take(samples: number, { read }: Answers, time: FakeTime = fakeTime()) {
  const once = () =>
    withRetries(read, { retries: 0, random: () => 0, sleep: time.sleep, stop: time.stop, onRetry: () => {} });
  const start = time.now();
  const taken = await takeSamples(once, { samples, intervalMs: 250 }, time);
  return {
    error: taken.error,
    taken: taken.samples.map(({ at, stats }) => [at - start, stats.figures.get('load')]),
  };
}

describe('sampling', () => {
  test('of one sample is one request, which counts', async () => {
    const agent = answers(...READINGS);
    const time = fakeTime();
    assert.deepEqual(await take(1, agent, time), { error: undefined, taken: [[0, 0n]] });
    assert.equal(agent.count(), 1);
    assert.deepEqual(time.slept, []);
  });

  for (const count of [2, 4]) {
    test(`of ${count} sends a first request and drops what it says`, async () => {
      const agent = answers(...READINGS);
      const time = fakeTime();
      const expected = Array.from({ length: count }, (_, index) => [250 * (index + 1), BigInt(index + 1)]);
      assert.deepEqual(await take(count, agent, time), { error: undefined, taken: expected });
      assert.equal(agent.count(), count + 1);
      assert.deepEqual(
        time.slept,
        expected.map(() => 250),
      );
    });
  }

  test('notes when each was answered', async () => {
    const time = fakeTime();
    const agent = answers(...READINGS);
    const slow = {
      ...agent,
      read: () => {
        time.pass(40);
        return agent.read();
      },
    };
    const { taken } = await take(2, slow, time);
    assert.deepEqual(taken, [
      [330, 1n],
      [620, 2n],
    ]);
  });

  test('ends with the first error, and keeps what was taken', async () => {
    const error = failureOf(500);
    const agent = answers(load(0n), load(1n), error, load(3n));
    assert.deepEqual(await take(4, agent), { error, taken: [[250, 1n]] });
    assert.equal(agent.count(), 3);
  });

  test('ends with an error of the request that is dropped', async () => {
    const error = new AgentError('unauthorized', 'no');
    const agent = answers(error, load(1n));
    assert.deepEqual(await take(4, agent), { error, taken: [] });
    assert.equal(agent.count(), 1);
  });

  test('ends without an error when it is stopped while sleeping', async () => {
    const agent = answers(...READINGS);
    const time = fakeTime((clock, elapsed) => void (elapsed === 500 && clock.cancel()));
    assert.deepEqual(await take(9, agent, time), {
      error: undefined,
      taken: [
        [250, 1n],
        [500, 2n],
      ],
    });
    assert.equal(agent.count(), 3);
  });

  test('lets a bug through', async () => {
    await assert.rejects(take(3, answers(new TypeError('a bug'))), /a bug/);
  });
});
