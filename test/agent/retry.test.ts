import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { backoff, type Retry, withRetries } from '../../src/agent/retry.ts';
import { fakeClock } from '../support/clock.ts';

const BUSY = new AgentError('busy', 'It is busy.', { status: 429 });
const REJECTED = new AgentError('rejected', 'It is refused.', { status: 400 });

/** Sends a request whose first attempts fail with these errors, one each. The next succeeds. */
async function sendWithFailures(
  failures: readonly Error[],
  options: { stop?: AbortSignal; isRepeatable?: (error: AgentError) => boolean } = {},
) {
  const clock = fakeClock();
  const retries: Retry[] = [];
  const left = [...failures];
  const outcome = await withRetries(
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
  return { outcome, retries, tookMs: clock.now() };
}

test('withRetries retries retryable failures with a growing delay', async () => {
  const { outcome, retries, tookMs } = await sendWithFailures([BUSY, BUSY, BUSY]);
  assert.deepEqual(outcome, { status: 'done', attempts: 4, value: 'done' });
  assert.deepEqual(retries, [
    { attempt: 1, error: BUSY, delayMs: 750 },
    { attempt: 2, error: BUSY, delayMs: 1500 },
    { attempt: 3, error: BUSY, delayMs: 3000 },
  ]);
  assert.equal(tookMs, 5250);
});

test('retries no earlier than Retry-After asks and backoff allows, plus jitter', async () => {
  const failures = [20_000, 100].map(
    retryAfterMs => new AgentError('busy', 'It is busy.', { retryAfterMs }),
  );
  const { retries } = await sendWithFailures(failures);
  const delays = retries.map(({ delayMs }) => delayMs);
  assert.deepEqual(delays, [20_250, 1500]);
});

const CANCELLED = new AgentError('cancelled', 'It was cancelled.');
const UNSENT = new AgentError('cancelled', 'It was cancelled.', { hadNoEffect: true });

type Ended = readonly [
  failures: readonly AgentError[],
  attempts: number,
  error: AgentError,
  options?: Parameters<typeof sendWithFailures>[1],
];

const ENDED: Readonly<Record<string, Ended>> = {
  'its retries are used up': [Array(9).fill(BUSY), 5, BUSY],
  'its failure is final': [[REJECTED], 1, REJECTED],
  'it must not be repeated': [[BUSY], 1, BUSY, { isRepeatable: () => false }],
  'the job is cancelled before a retry': [[BUSY], 1, BUSY, { stop: AbortSignal.abort() }],
  'a retry is cancelled before it is sent, which tells nothing new': [[BUSY, UNSENT], 1, BUSY],
  'a retry is cancelled in flight, which may have had an effect': [[BUSY, CANCELLED], 2, CANCELLED],
};
for (const [name, [failures, attempts, error, options]] of Object.entries(ENDED))
  test(`a request fails for good once [${name}]`, async () => {
    const { outcome } = await sendWithFailures(failures, options);
    assert.deepEqual(outcome, { status: 'failed', attempts, error });
  });

test('a bug is thrown, not retried', async () => {
  await assert.rejects(sendWithFailures([BUSY, new TypeError('a bug')]), TypeError);
});

test('backoff doubles up to 30 s, and half of it is random', () => {
  const delays = (random: number) =>
    [1, 2, 3, 4, 5, 6, 7].map(attempt => backoff(attempt, () => random));
  assert.deepEqual(delays(0), [500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
  assert.deepEqual(delays(1), [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});
