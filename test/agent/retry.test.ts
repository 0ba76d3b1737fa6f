import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { backoff, type Outcome, type Retry, withRetries } from '../../src/agent/retry.ts';

const BUSY = new AgentError('busy', 'It is busy.', { status: 429 });

interface Run {
  readonly outcome: Outcome<string>;
  readonly attempts: number;
  readonly slept: readonly number[];
  readonly retries: readonly Retry[];
}

/** Makes a request that fails with the errors given, one after the other, and succeeds then. */
async function run(errors: readonly Error[], retries: number, stopDuringSleep?: number): Promise<Run> {
  const stop = new AbortController();
  const slept: number[] = [];
  const seen: Retry[] = [];
  let attempts = 0;
  const request = async () => {
    const error = errors[attempts++];
    if (error !== undefined) throw error;
    return 'done';
  };
  const sleep = async (ms: number, signal: AbortSignal) => {
    slept.push(ms);
    if (slept.length === stopDuringSleep) stop.abort();
    signal.throwIfAborted();
  };
  const outcome = await withRetries(request, {
    retries,
    sleep,
    random: () => 0.5,
    stop: stop.signal,
    onRetry: retry => seen.push(retry),
  });
  return { outcome, attempts, slept, retries: seen };
}

describe('backoff', () => {
  const ceilings = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000];
  for (const [index, ceiling] of ceilings.entries()) {
    test(`after attempt ${index + 1} it is from 0 to ${ceiling} ms`, () => {
      assert.equal(
        backoff(index + 1, () => 0),
        0,
      );
      assert.equal(
        backoff(index + 1, () => 0.5),
        ceiling / 2,
      );
      assert.equal(
        backoff(index + 1, () => 0.999),
        Math.round(0.999 * ceiling),
      );
    });
  }

  test('it is never sooner than the agent asked for', () => {
    assert.equal(
      backoff(1, () => 0, 7000),
      7000,
    );
    assert.equal(
      backoff(1, () => 0.999, 7000),
      7000,
    );
    assert.equal(
      backoff(6, () => 0.999, 7000),
      15_984,
    );
    assert.equal(
      backoff(1, () => 0, 60_000),
      60_000,
    );
  });
});

describe('withRetries', () => {
  test('success at once is one attempt, and no wait', async () => {
    const { outcome, slept } = await run([], 4);
    assert.deepEqual(outcome, { attempts: 1, value: 'done' });
    assert.deepEqual(slept, []);
  });

  test('it waits between attempts, and tells of each', async () => {
    const { outcome, slept, retries } = await run([BUSY, BUSY], 4);
    assert.deepEqual(outcome, { attempts: 3, value: 'done' });
    assert.deepEqual(slept, [250, 500]);
    assert.deepEqual(retries, [
      { attempt: 1, error: BUSY, delayMs: 250 },
      { attempt: 2, error: BUSY, delayMs: 500 },
    ]);
  });

  test('Retry-After is the least it waits', async () => {
    const patient = new AgentError('busy', 'Wait.', { retryAfterMs: 9000 });
    const { slept, retries } = await run([patient, BUSY], 4);
    assert.deepEqual(slept, [9000, 500]);
    assert.equal(retries[0]?.delayMs, 9000);
  });

  for (const retries of [0, 1, 4]) {
    test(`${retries} retries are ${retries + 1} attempts`, async () => {
      const { outcome, attempts, slept } = await run(Array(20).fill(BUSY), retries);
      assert.deepEqual(outcome, { attempts: retries + 1, error: BUSY });
      assert.equal(attempts, retries + 1);
      assert.equal(slept.length, retries);
    });
  }

  test('what cannot succeed later is not tried again', async () => {
    const wrong = new AgentError('unauthorized', 'No.');
    const { outcome, attempts } = await run([BUSY, wrong], 4);
    assert.deepEqual(outcome, { attempts: 2, error: wrong });
    assert.equal(attempts, 2);
  });

  test('a stop while it waits ends it with the error it had', async () => {
    const { outcome, attempts } = await run([BUSY, BUSY, BUSY], 4, 2);
    assert.deepEqual(outcome, { attempts: 2, error: BUSY });
    assert.equal(attempts, 2);
  });

  test('a stop while it requests ends it without a wait', async () => {
    const slept: number[] = [];
    const stop = new AbortController();
    const outcome = await withRetries(
      async () => {
        stop.abort();
        throw BUSY;
      },
      {
        retries: 4,
        sleep: async ms => {
          slept.push(ms);
        },
        random: () => 0,
        stop: stop.signal,
        onRetry: () => assert.fail('it is not tried again'),
      },
    );
    assert.deepEqual(outcome, { attempts: 1, error: BUSY });
    assert.deepEqual(slept, []);
  });

  test('a bug passes through', async () => {
    await assert.rejects(run([BUSY, new TypeError('a bug')], 4), new TypeError('a bug'));
  });
});
