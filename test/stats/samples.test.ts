import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { sampleTimeout, takeSamples, trySample } from '../../src/stats/samples.ts';
import { fakeClock } from '../support/clock.ts';

interface Sampling {
  /** Errors of the first samples, in order. */
  readonly errors?: readonly Error[];
  /** Stops during the sample with this number. */
  readonly stopDuring?: number;
  /** Stops at this time in ms. */
  readonly stopAt?: number;
  readonly sampleOnStop?: boolean;
  readonly firstMs?: number;
}

/** Samples every 5 ms. Returns the times or failures, then how sampling ended. */
async function sample(sampling: Sampling) {
  const { errors = [], stopDuring, stopAt, sampleOnStop = true, firstMs = 5 } = sampling;
  const stop = new AbortController();
  const { sleep, now } = fakeClock();
  if (stopAt !== undefined) void sleep(stopAt).then(() => stop.abort());
  let count = 0;
  const read = async () => {
    const error = errors[count];
    count += 1;
    if (count === stopDuring) stop.abort();
    if (error !== undefined) throw error;
    return new Map([['mem_used', 1]]);
  };
  const seen: unknown[] = [];
  const end = await takeSamples(
    () => trySample(read, now),
    each => seen.push(each.kind === 'failure' ? each.message : each.at),
    { intervalMs: 5, firstMs, sleep, stop: stop.signal, sampleOnStop },
  );
  return [...seen, end];
}

test('takeSamples takes a sample after each interval, up to the one during which it is stopped', async () => {
  for (const sampleOnStop of [true, false])
    assert.deepEqual(await sample({ stopDuring: 2, sampleOnStop }), [5, 10, 'requested']);
});

test('takeSamples that is stopped during an interval takes a last sample only with `sampleOnStop`', async () => {
  assert.deepEqual(await sample({ stopAt: 12 }), [5, 10, 12, 'requested']);
  assert.deepEqual(await sample({ stopAt: 12, sampleOnStop: false }), [5, 10, 'requested']);
});

test('takeSamples goes on after failures', async () => {
  const errors = [new AgentError('connection', 'Slow.'), new AgentError('busy', 'Busy.')];
  assert.deepEqual(await sample({ errors, stopDuring: 3 }), ['Slow.', 'Busy.', 15, 'requested']);
});

test('takeSamples that is stopped by sample 60,000 ends as requested', async () => {
  const seen = await sample({ stopDuring: 60_000 });
  assert.deepEqual([seen.length, seen.at(-1)], [60_001, 'requested']);
});

test('takeSamples waits for `firstMs` before its first sample', async () => {
  assert.deepEqual(await sample({ firstMs: 2, stopDuring: 3 }), [2, 7, 12, 'requested']);
});

test('takeSamples ends early after 60,000 samples, since its record is full', async () => {
  const seen = await sample({});
  assert.equal(seen.length, 60_001);
  assert.deepEqual(seen.at(-1), { early: 'its record was full' });
});

test('an attempt has the times of the request and of its response, whether or not it failed', async () => {
  const { sleep, now } = fakeClock();
  await sleep(3);
  const figures = new Map([['mem_used', 1]]);
  const read = async () => {
    await sleep(4);
    return figures;
  };
  const fail = async () => {
    await sleep(5);
    throw new AgentError('connection', 'Slow.');
  };
  const cut = async () => {
    await sleep(5000);
    throw new AgentError('cancelled', 'Cut.');
  };
  const attempts = [
    await trySample(read, now),
    await trySample(fail, now),
    await trySample(cut, now),
  ];
  const unanswered = 'The sandbox had not answered after 5 s.';
  assert.deepEqual(attempts, [
    { kind: 'sample', askedAt: 3, at: 7, figures },
    { kind: 'failure', askedAt: 7, at: 12, message: 'Slow.' },
    { kind: 'failure', askedAt: 12, at: 5012, message: unanswered },
  ]);
});

test('takeSamples throws errors that are bugs', async () => {
  await assert.rejects(sample({ errors: [new TypeError('a bug')] }), /a bug/);
});

test('a sample times out after 10 s or the interval if longer, and at most after timeout', () => {
  assert.equal(sampleTimeout({ timeout: 60_000, sampleInterval: 5000 }), 10_000);
  assert.equal(sampleTimeout({ timeout: 60_000, sampleInterval: 30_000 }), 30_000);
  assert.equal(sampleTimeout({ timeout: 3000, sampleInterval: 30_000 }), 3000);
});
