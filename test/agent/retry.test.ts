import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { backoff, type Retry, sleep, withRetries } from '../../src/agent/retry.ts';
import { fakeClock } from '../clock.ts';

const BUSY = new AgentError('busy', 'It is busy.', { status: 429 });
const REJECTED = new AgentError('rejected', 'It is refused.', { status: 400 });

/** Runs a request that fails in these ways, and then succeeds. */
async function run(
  failures: readonly Error[],
  options: { stop?: AbortSignal; isRepeatable?: (error: AgentError) => boolean } = {},
) {
  const clock = fakeClock();
  const retries: Retry[] = [];
  const left = [...failures];
  const running = withRetries(
    async () => {
      const failure = left.shift();
      if (failure !== undefined) throw failure;
      return 'done';
    },
    {
      retries: 4,
      random: () => 0.5,
      sleep: clock.sleep,
      stop: new AbortController().signal,
      onRetry: retry => retries.push(retry),
      ...options,
    },
  );
  const outcome = await running;
  return { outcome, retries, tookMs: clock.now() };
}

describe('a request', () => {
  test('is repeated after retryable failures, later each time', async () => {
    const { outcome, retries, tookMs } = await run([BUSY, BUSY, BUSY, BUSY]);
    assert.deepEqual(outcome, { attempts: 5, value: 'done' });
    const delays = retries.map(({ attempt, delayMs }) => [attempt, delayMs]);
    assert.deepEqual(delays, [
      [1, 750],
      [2, 1500],
      [3, 3000],
      [4, 6000],
    ]);
    assert.equal(tookMs, 11_250);
  });

  test('fails once it has used up its retries', async () => {
    const { outcome } = await run(Array.from({ length: 9 }, () => BUSY));
    assert.deepEqual(outcome, { attempts: 5, error: BUSY });
  });

  test('fails at once for good reasons, or if it may not be repeated', async () => {
    assert.deepEqual((await run([REJECTED])).outcome, { attempts: 1, error: REJECTED });
    const { outcome } = await run([BUSY], { isRepeatable: () => false });
    assert.deepEqual(outcome, { attempts: 1, error: BUSY });
  });

  test('that is cancelled when it is repeated fails for its first reason', async () => {
    const { outcome } = await run([BUSY, new AgentError('cancelled', 'It was cancelled.')]);
    assert.deepEqual(outcome, { attempts: 1, error: BUSY });
  });

  test('is not repeated after a stop', async () => {
    const { outcome } = await run([BUSY], { stop: AbortSignal.abort() });
    assert.deepEqual(outcome, { attempts: 1, error: BUSY });
  });

  test('passes a bug on', async () => {
    await assert.rejects(run([BUSY, new TypeError('a bug')]), TypeError);
  });
});

describe('a pause', () => {
  const least = () => 0;
  const most = () => 1 - Number.EPSILON;
  const attempts = [1, 2, 3, 4, 5, 6, 7];

  test('is half fixed, half random, and at most 30 s', () => {
    const pauses = (random: () => number) => attempts.map(attempt => backoff(attempt, random));
    assert.deepEqual(pauses(least), [500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
    assert.deepEqual(pauses(most), [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  test('is at least as long as Retry-After asks for, and still random', () => {
    assert.deepEqual([backoff(1, least, 7000), backoff(1, most, 7000)], [7000, 7500]);
    assert.equal(backoff(5, least, 100), 8000);
  });

  test('ends with its signal', async () => {
    const controller = new AbortController();
    const sleeping = sleep(60_000, controller.signal);
    controller.abort();
    assert.equal(await sleeping, false);
    assert.equal(await sleep(0, new AbortController().signal), true);
  });
});
