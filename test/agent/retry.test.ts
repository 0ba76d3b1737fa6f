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

/** Runs a request that fails with each error in turn and then succeeds. */
async function run(
  errors: readonly Error[],
  retries: number,
  stopDuringSleep?: number,
): Promise<Run> {
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
    return !signal.aborted;
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
      const delays = [0, 0.5, 0.999].map(random => backoff(index + 1, () => random));
      assert.deepEqual(delays, [0, ceiling / 2, Math.round(0.999 * ceiling)]);
    });
  }

  test('it is never sooner than the agent asked for', () => {
    const delays = [1, 6].map(attempt => backoff(attempt, () => 0.999, 7000));
    assert.deepEqual(delays, [7000, 15_984]);
  });
});

const PATIENT = new AgentError('busy', 'Wait.', { retryAfterMs: 9000 });
const WRONG = new AgentError('unauthorized', 'No.');

type Case = readonly [
  errors: readonly Error[],
  retries: number,
  outcome: Outcome<string>,
  slept: readonly number[],
];

const CASES: Readonly<Record<string, Case>> = {
  'success at once is one attempt, and no wait': [[], 4, { attempts: 1, value: 'done' }, []],
  'it waits between attempts': [[BUSY, BUSY], 4, { attempts: 3, value: 'done' }, [250, 500]],
  'Retry-After is the least it waits': [
    [PATIENT, BUSY],
    4,
    { attempts: 3, value: 'done' },
    [9000, 500],
  ],
  'no retries are one attempt': [[BUSY, BUSY], 0, { attempts: 1, error: BUSY }, []],
  'one retry is two attempts': [[BUSY, BUSY, BUSY], 1, { attempts: 2, error: BUSY }, [250]],
  'what cannot succeed later is not tried again': [
    [BUSY, WRONG],
    4,
    { attempts: 2, error: WRONG },
    [250],
  ],
};

describe('withRetries', () => {
  for (const [name, [errors, retries, outcome, slept]] of Object.entries(CASES)) {
    test(`${name}, and tells of each`, async () => {
      const done = await run(errors, retries);
      assert.deepEqual(
        [done.outcome, done.slept, done.attempts],
        [outcome, slept, outcome.attempts],
      );
      const told = slept.map((delayMs, index) => ({
        attempt: index + 1,
        error: errors[index],
        delayMs,
      }));
      assert.deepEqual(done.retries, told);
    });
  }

  test('a stop while it waits ends it with the error it had', async () => {
    const { outcome, attempts } = await run([BUSY, BUSY, BUSY], 4, 2);
    assert.deepEqual([outcome, attempts], [{ attempts: 2, error: BUSY }, 2]);
  });

  test('a stop while it requests ends it without a wait', async () => {
    const stop = new AbortController();
    const request = async () => {
      stop.abort();
      throw BUSY;
    };
    const never = () => assert.fail('it is not tried again');
    const policy = { retries: 4, sleep: never, random: () => 0, stop: stop.signal, onRetry: never };
    assert.deepEqual(await withRetries(request, policy), { attempts: 1, error: BUSY });
  });

  test('a bug passes through', async () => {
    await assert.rejects(run([BUSY, new TypeError('a bug')], 4), new TypeError('a bug'));
  });
});
