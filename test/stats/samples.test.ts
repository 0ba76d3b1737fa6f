import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { sampleTimeout, takeSamples, trySample } from '../../src/stats/samples.ts';
import { fakeClock } from '../support/clock.ts';
import { statsFromJson } from '../support/stats-from-json.ts';

interface Sampling {
  /** Errors of the first samples, in order. */
  readonly errors?: readonly Error[];
  /** Stops during the sample with this number. */
  readonly stopDuring?: number;
  /** Stops at this time in ms. */
  readonly stopAt?: number;
  readonly withLast?: boolean;
  readonly json?: string;
}

/** Samples every 5 ms. Returns the times or failures, then why sampling ended. */
async function sample({ errors = [], stopDuring, stopAt, withLast = true, json }: Sampling) {
  const stop = new AbortController();
  const { sleep, now } = fakeClock();
  if (stopAt !== undefined) void sleep(stopAt).then(() => stop.abort('enough'));
  let count = 0;
  const read = async () => {
    const error = errors[count];
    count += 1;
    if (count === stopDuring) stop.abort('enough');
    if (error !== undefined) throw error;
    return statsFromJson(json ?? '{"mem_used":1}');
  };
  const seen: (number | string)[] = [];
  const end = await takeSamples(
    () => trySample(read, now),
    each => seen.push('failure' in each ? each.failure : each.at),
    { intervalMs: 5, sleep, stop: stop.signal, withLast },
  );
  return [...seen, end];
}

test('takeSamples takes a sample after each interval, up to the one during which it is stopped', async () => {
  for (const withLast of [true, false])
    assert.deepEqual(await sample({ stopDuring: 2, withLast }), [5, 10, 'enough']);
});

test('takeSamples that is stopped during an interval takes a last sample only with `withLast`', async () => {
  assert.deepEqual(await sample({ stopAt: 12 }), [5, 10, 12, 'enough']);
  assert.deepEqual(await sample({ stopAt: 12, withLast: false }), [5, 10, 'enough']);
});

test('takeSamples goes on after failures', async () => {
  const errors = [new AgentError('connection', 'Slow.'), new AgentError('cancelled', 'Cut.')];
  assert.deepEqual(await sample({ errors, stopDuring: 3 }), ['Slow.', 'Cut.', 15, 'enough']);
});

test('takeSamples ends once it has seen 16 MiB', async () => {
  const json = JSON.stringify({ text: 'x'.repeat(8 * 2 ** 20) });
  assert.deepEqual(await sample({ json }), [5, 10, 'its record was full']);
});

test('takeSamples throws errors that are bugs', async () => {
  await assert.rejects(sample({ errors: [new TypeError('a bug')] }), /a bug/);
});

test('a sample times out after 10 s or the interval if longer, and at most after timeout', () => {
  assert.equal(sampleTimeout({ timeout: 60_000, sampleInterval: 5000 }), 10_000);
  assert.equal(sampleTimeout({ timeout: 60_000, sampleInterval: 30_000 }), 30_000);
  assert.equal(sampleTimeout({ timeout: 3000, sampleInterval: 30_000 }), 3000);
});
