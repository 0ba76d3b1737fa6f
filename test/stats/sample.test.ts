import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { withRetries } from '../../src/agent/retry.ts';
import { type Sample, takeSamples, waitUntil } from '../../src/stats/sample.ts';
import { parse } from '../gate/given.ts';
import { type Answers, answers, type FakeTime, fakeTime, load } from './timing.ts';

const ANSWERS = [load(0), load(1), load(2), load(3), load(4)] as const;

const BUSY = new AgentError('busy', 'It answered 503.');
const UNREACHABLE = new AgentError('unreachable', 'It refused the connection.');
const WRONG_TOKEN = new AgentError('unauthorized', 'It answered 401.');

/** A clock that cancels after so many milliseconds. */
const cancelledAt = (ms: number) =>
  fakeTime((clock, elapsed) => void (elapsed === ms && clock.cancel()));

/** Takes samples 250 ms apart, without retries. */
async function take(
  samples: number,
  { read }: Answers,
  time: FakeTime = fakeTime(),
  previous?: Sample,
) {
  const policy = {
    retries: 0,
    random: () => 0,
    sleep: time.sleep,
    stop: time.stop,
    onRetry: () => {},
  };
  const start = time.now();
  const taken = await takeSamples(
    () => withRetries(read, policy),
    { previous, count: samples, intervalMs: 250 },
    time,
  );
  const at = taken.samples.map(sample => [sample.at - start, sample.figures.get('load')]);
  return { error: taken.error, taken: at };
}

describe('sampling', () => {
  test('of one sample is one request, which counts', async () => {
    const [agent, time] = [answers(...ANSWERS), fakeTime()];
    assert.deepEqual(await take(1, agent, time), { error: undefined, taken: [[0, 0]] });
    assert.deepEqual([agent.count(), time.slept], [1, []]);
  });

  test('of several sends a first request, drops what it says, and notes when each was answered', async () => {
    const [agent, time] = [answers(...ANSWERS), fakeTime()];
    const read = () => {
      time.pass(40);
      return agent.read();
    };
    const { error, taken } = await take(2, { ...agent, read }, time);
    assert.deepEqual([error, ...taken], [undefined, [330, 1], [620, 2]]);
    assert.deepEqual([agent.count(), time.slept], [3, [250, 250]]);
  });

  test('of several counts the first if there was a sample before it', async () => {
    const agent = answers(...ANSWERS);
    const previous = { at: 1, figures: load(9).figures };
    const { taken } = await take(2, agent, fakeTime(), previous);
    assert.deepEqual(taken, [
      [0, 0],
      [250, 1],
    ]);
    assert.equal(agent.count(), 2);
  });

  test('ends with the first error, also of the request that is dropped, and keeps what was taken', async () => {
    const agent = answers(load(0), load(1), BUSY, load(3));
    assert.deepEqual(await take(4, agent), { error: BUSY, taken: [[250, 1]] });
    assert.equal(agent.count(), 3);
    assert.deepEqual(await take(4, answers(WRONG_TOKEN, load(1))), {
      error: WRONG_TOKEN,
      taken: [],
    });
  });

  test('ends without an error when it is stopped while sleeping', async () => {
    const agent = answers(...ANSWERS);
    const { error, taken } = await take(9, agent, cancelledAt(500));
    assert.deepEqual([error, ...taken], [undefined, [250, 1], [500, 2]]);
    assert.equal(agent.count(), 3);
  });

  test('lets a bug through', async () => {
    await assert.rejects(take(3, answers(new TypeError('a bug'))), /a bug/);
  });
});

interface Waiting {
  readonly until?: readonly string[];
  readonly time?: FakeTime;
  readonly limits?: Pick<Parameters<typeof waitUntil>[2], 'intervalMs' | 'timeoutMs'>;
}

/** Waits up to 5 s for a calm sandbox. Returns unmet conditions in short. */
async function wait(agent: Pick<Answers, 'read'>, options: Waiting = {}) {
  const {
    until = ['load < 5'],
    time = fakeTime(),
    limits = { intervalMs: 1000, timeoutMs: 5000 },
  } = options;
  const end = await waitUntil(
    until.map(parse),
    agent.read,
    { ...limits, onSample: () => {} },
    time,
  );
  assert.ok(time.slept.every(ms => ms > 0));
  if (end.held) return { held: true, waitedMs: end.waitedMs };
  const unmet = end.unmet.map(judgement => [
    judgement.condition.text,
    judgement.holds === undefined ? judgement.reported : judgement.figure,
  ]);
  return { ...end, unmet };
}

describe('waiting ends well', () => {
  test('at once, or as soon as the conditions hold', async () => {
    assert.deepEqual(await wait(answers(load(4))), { held: true, waitedMs: 0 });
    const [agent, time] = [answers(load(9), load(7), load(5), load(4), load(9)), fakeTime()];
    assert.deepEqual(await wait(agent, { time }), { held: true, waitedMs: 3000 });
    assert.deepEqual([agent.count(), time.slept], [4, [1000, 1000, 1000]]);
  });

  test('only when all hold in one sample', async () => {
    const until = ['load < 5', 'load > 2', 'load.max != 3'];
    const end = await wait(answers(load(1), load(9), load(1), load(4)), { until });
    assert.deepEqual(end, { held: true, waitedMs: 3000 });
  });

  test('though the agent is not up at first, or not again', async () => {
    assert.deepEqual(await wait(answers(UNREACHABLE, BUSY, load(1))), {
      held: true,
      waitedMs: 2000,
    });
  });
});

describe('waiting ends when its time is up', () => {
  test('with the figures last seen, also of a metric that is not reported', async () => {
    const agent = answers(load(99), load(50), load(7));
    const unmet = [
      ['load < 5', 7],
      ['mem_cache > 1', ['load']],
    ];
    const end = await wait(agent, { until: ['load < 5', 'load > 0', 'mem_cache > 1'] });
    assert.deepEqual(end, { held: false, waitedMs: 5000, unmet, error: undefined });
    assert.equal(agent.count(), 6);
  });

  const seen = [['load < 5', 8]];
  const cases: readonly (readonly [
    name: string,
    agent: Answers,
    unmet: unknown,
    error: unknown,
  ])[] = [
    ['with the last error, and the figures seen before', answers(load(8), BUSY), seen, BUSY],
    ['with the last error alone if the agent was never up', answers(UNREACHABLE), [], UNREACHABLE],
    ['without an error that has passed', answers(UNREACHABLE, load(8)), seen, undefined],
  ];
  for (const [name, agent, unmet, error] of cases) {
    test(name, async () => {
      assert.deepEqual(await wait(agent), { held: false, waitedMs: 5000, unmet, error });
    });
  }

  test('not before, though it is no multiple of the interval: it looks a last time', async () => {
    for (const [intervalMs, timeoutMs] of [
      [3000, 5000],
      [1000, 300],
    ] as const) {
      const time = fakeTime();
      const end = time.now() + timeoutMs;
      const read = async () => load(time.now() >= end ? 1 : 9);
      const found = await wait({ read }, { time, limits: { intervalMs, timeoutMs } });
      assert.deepEqual(found, { held: true, waitedMs: timeoutMs });
    }
  });
});

describe('waiting ends at once', () => {
  test('with an error that no waiting can mend', async () => {
    const agent = answers(load(9), WRONG_TOKEN, load(1));
    const unmet = [['load < 5', 9]];
    assert.deepEqual(await wait(agent), {
      held: false,
      waitedMs: 1000,
      unmet,
      error: WRONG_TOKEN,
    });
    assert.equal(agent.count(), 2);
  });

  test('when it is cancelled, while sleeping or while asking', async () => {
    const unmet = [['load < 5', 9]];
    const sleeping = await wait(answers(load(9)), { time: cancelledAt(2000) });
    assert.deepEqual(sleeping, { held: false, waitedMs: 2000, unmet, error: undefined });
    const [agent, time] = [answers(UNREACHABLE), fakeTime()];
    const read = () => {
      time.cancel();
      return agent.read();
    };
    assert.equal((await wait({ read }, { time })).held, false);
    assert.deepEqual([agent.count(), time.slept], [1, []]);
  });

  test('with a bug, which passes through', async () => {
    await assert.rejects(wait(answers(new TypeError('a bug'))), /a bug/);
  });
});
