import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentError } from '../../src/agent/failure.ts';
import { networkFailure } from '../../src/agent/network-failure.ts';
import { toFigure } from '../../src/gate/exact-number.ts';
import { waitUntil } from '../../src/stats/sample.ts';
import { failureOf } from '../agent/answers.ts';
import { parse } from '../gate/given.ts';
import { type Answers, answers, type FakeTime, fakeTime, load } from './timing.ts';

const LIMITS = { intervalMs: 1000, timeoutMs: 5000 };

const REFUSED = networkFailure(
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' }),
  'GET http://h/metrics',
);

interface Waiting {
  readonly until?: readonly string[];
  readonly time?: FakeTime;
  readonly limits?: typeof LIMITS;
}

/** Waits for a calm sandbox; the conditions that are missing come in short. */
async function wait(answer: Answers, options: Waiting = {}) {
  const { until = ['load < 5'], time = fakeTime(), limits = LIMITS } = options;
  const end = await waitUntil(until.map(parse), answer.read, limits, time);
  if (end.held) return { held: true, waitedMs: end.waitedMs };
  const missing = end.missing.map(judgement => [
    judgement.condition.text,
    judgement.holds === undefined ? judgement.reported : toFigure(judgement.figure),
  ]);
  return { ...end, missing };
}

describe('waiting ends well', () => {
  test('at once where the conditions hold', async () => {
    const agent = answers(load(4n));
    const time = fakeTime();
    assert.deepEqual(await wait(agent, { time }), { held: true, waitedMs: 0 });
    assert.deepEqual([agent.count(), time.slept], [1, []]);
  });

  test('as soon as they hold', async () => {
    const agent = answers(load(9n), load(7n), load(5n), load(4n), load(9n));
    const time = fakeTime();
    assert.deepEqual(await wait(agent, { time }), { held: true, waitedMs: 3000 });
    assert.deepEqual([agent.count(), time.slept], [4, [1000, 1000, 1000]]);
  });

  test('only when all hold in one sample', async () => {
    const agent = answers(load(1n), load(9n), load(1n), load(4n));
    const until = ['load < 5', 'load > 2', 'load.max != 3'];
    assert.deepEqual(await wait(agent, { until }), { held: true, waitedMs: 3000 });
  });

  const notUp: Readonly<Record<string, AgentError>> = {
    'refuses connections': REFUSED,
    'answers 502 port not open': failureOf(502, '{"message":"The sandbox is running but port is not open"}'),
    'answers 503': failureOf(503),
  };
  for (const [name, error] of Object.entries(notUp)) {
    test(`though the agent first ${name}`, async () => {
      const agent = answers(error, error, load(1n));
      assert.deepEqual(await wait(agent), { held: true, waitedMs: 2000 });
    });
  }
});

describe('waiting ends when its time is up', () => {
  test('with the figures last seen', async () => {
    const agent = answers(load(99n), load(50n), load(7n));
    const until = ['load < 5', 'load > 0', 'mem_cache > 1'];
    const end = await wait(agent, { until });
    assert.deepEqual(end, {
      held: false,
      waitedMs: 5000,
      missing: [
        ['load < 5', 7n],
        ['mem_cache > 1', ['load']],
      ],
      error: undefined,
    });
    assert.equal(agent.count(), 6);
  });

  test('with the last error, and the figures seen before', async () => {
    const busy = failureOf(503);
    const end = await wait(answers(load(8n), busy));
    assert.deepEqual(end, { held: false, waitedMs: 5000, missing: [['load < 5', 8n]], error: busy });
  });

  test('with the last error alone if the agent was never up', async () => {
    const end = await wait(answers(REFUSED));
    assert.deepEqual(end, { held: false, waitedMs: 5000, missing: [], error: REFUSED });
  });

  test('without an error that has passed', async () => {
    const end = await wait(answers(REFUSED, load(8n)));
    assert.deepEqual(end, { held: false, waitedMs: 5000, missing: [['load < 5', 8n]], error: undefined });
  });

  const odd: readonly (readonly [intervalMs: number, timeoutMs: number])[] = [
    [3000, 5000],
    [1000, 300],
    [400, 1000],
  ];
  for (const [intervalMs, timeoutMs] of odd) {
    test(`not before, though ${timeoutMs} is no multiple of ${intervalMs}: it looks a last time`, async () => {
      const time = fakeTime();
      const start = time.now();
      const isCalm = () => time.now() - start >= timeoutMs;
      const read = async () => load(isCalm() ? 1n : 9n);
      const end = await wait({ count: () => 0, read }, { time, limits: { intervalMs, timeoutMs } });
      assert.deepEqual(end, { held: true, waitedMs: timeoutMs });
    });
  }

  test('also where each answer takes its time', async () => {
    const time = fakeTime();
    const agent = answers(load(9n));
    const read = () => {
      time.pass(900);
      return agent.read();
    };
    const end = await wait({ ...agent, read }, { time });
    assert.equal(end.held, false);
    assert.ok(end.waitedMs >= 4000 && end.waitedMs <= 5900, `${end.waitedMs}`);
  });
});

describe('waiting ends at once', () => {
  const hopeless: Readonly<Record<string, AgentError>> = {
    'the token is wrong': failureOf(401),
    'the sandbox is not found': failureOf(502, '{"message":"The sandbox was not found"}'),
    'there is no such operation': failureOf(404),
  };
  for (const [name, error] of Object.entries(hopeless)) {
    test(`where ${name}`, async () => {
      const agent = answers(load(9n), error, load(1n));
      const end = await wait(agent);
      assert.deepEqual(end, { held: false, waitedMs: 1000, missing: [['load < 5', 9n]], error });
      assert.equal(agent.count(), 2);
    });
  }

  test('when it is cancelled while sleeping', async () => {
    const agent = answers(load(9n));
    const time = fakeTime((clock, elapsed) => void (elapsed === 2000 && clock.cancel()));
    const end = await wait(agent, { time });
    assert.deepEqual(end, { held: false, waitedMs: 2000, missing: [['load < 5', 9n]], error: undefined });
    assert.equal(agent.count(), 3);
  });

  test('when it is cancelled while asking', async () => {
    const time = fakeTime();
    const agent = answers(REFUSED);
    const read = () => {
      time.cancel();
      return agent.read();
    };
    assert.equal((await wait({ ...agent, read }, { time })).held, false);
    assert.deepEqual([agent.count(), time.slept], [1, []]);
  });

  test('with a bug, which passes through', async () => {
    await assert.rejects(wait(answers(new TypeError('a bug'))), /a bug/);
  });
});
