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

/** Samples every 5 ms. Returns the times or failures. */
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
    return { figures: new Map([['mem_used', 1]]), response: '' };
  };
  const seen: unknown[] = [];
  await takeSamples(
    () => trySample(read, () => {}, now),
    each => seen.push(each.kind === 'failure' ? each.message : each.at),
    { intervalMs: 5, firstMs, sleep, stop: stop.signal, sampleOnStop },
  );
  return seen;
}

const FAILURES = [new AgentError('connection', 'Slow.'), new AgentError('busy', 'Busy.')];
const SAMPLINGS: Readonly<Record<string, readonly [Sampling, readonly unknown[]]>> = {
  'up to the one during which it is stopped': [{ stopDuring: 2 }, [5, 10]],
  'and a last one if it is stopped between two': [{ stopAt: 12 }, [5, 10, 12]],
  'and no last one without `sampleOnStop`': [{ stopAt: 12, sampleOnStop: false }, [5, 10]],
  'and goes on after failures': [{ errors: FAILURES, stopDuring: 3 }, ['Slow.', 'Busy.', 15]],
  'the first one after `firstMs`': [{ firstMs: 2, stopDuring: 3 }, [2, 7, 12]],
};
for (const [what, [sampling, seen]] of Object.entries(SAMPLINGS))
  test(`takeSamples takes a sample after each interval [${what}]`, async () => {
    assert.deepEqual(await sample(sampling), seen);
  });

test('takeSamples takes as many samples as fit into the time until it is stopped', async () => {
  assert.equal((await sample({ stopDuring: 60_001 })).length, 60_001);
});

test('an attempt has the times of the request and of its response, whether or not it failed', async () => {
  const { sleep, now } = fakeClock();
  const stats = { figures: new Map([['mem_used', 1]]), response: '{}' };
  const responses: string[] = [];
  async function attemptThat(outcome: typeof stats | AgentError, ms: number) {
    const read = async () => {
      await sleep(ms);
      if (outcome instanceof AgentError) throw outcome;
      return outcome;
    };
    return await trySample(read, response => void responses.push(response), now);
  }
  const message = 'The sandbox had not answered after 5 s.';
  assert.deepEqual(
    [
      await attemptThat(stats, 4),
      await attemptThat(new AgentError('connection', 'Slow.'), 5),
      await attemptThat(new AgentError('cancelled', 'Cut.'), 5000),
    ],
    [
      { kind: 'sample', askedAt: 0, at: 4, figures: stats.figures },
      { kind: 'failure', askedAt: 4, at: 9, message: 'Slow.' },
      { kind: 'failure', askedAt: 9, at: 5009, message },
    ],
  );
  assert.deepEqual(responses, ['{}']);
});

test('takeSamples throws errors that are bugs', async () => {
  await assert.rejects(sample({ errors: [new TypeError('a bug')] }), /a bug/);
});

test('a sample times out after 10 s or the interval if longer, and at most after timeout', () => {
  assert.equal(sampleTimeout({ timeout: 60_000, sampleInterval: 5000 }), 10_000);
  assert.equal(sampleTimeout({ timeout: 60_000, sampleInterval: 30_000 }), 30_000);
  assert.equal(sampleTimeout({ timeout: 3000, sampleInterval: 30_000 }), 3000);
});
