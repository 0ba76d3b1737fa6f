import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentRequest } from '../../src/agent/client.ts';
import { AgentError } from '../../src/agent/failure.ts';
import { sampleWhileRunning } from '../../src/command/sample-while-running.ts';
import type { Condition } from '../../src/gate/judge.ts';
import type { Sample } from '../../src/gate/metrics.ts';
import { judgeRecord } from '../../src/stats/stats.ts';
import { fakeClock } from '../support/clock.ts';
import { parse } from '../support/parse-condition.ts';

const S = 1000;

interface SampledCommand {
  readonly durationMs: number;
  readonly intervalMs?: number;
  readonly failIf?: readonly Condition[];
  /** The time that a response takes, or an error. Default: 0. */
  readonly respond?: (askedAt: number) => number | AgentError;
}

/** Samples a command by a clock that only moves while everything sleeps. */
async function sample(command: SampledCommand) {
  const { durationMs, intervalMs = S, failIf = [parse('load > 90')] } = command;
  const { respond = () => 0 } = command;
  const { now, sleep } = fakeClock();
  const asked: number[] = [];
  const client = {
    redact: String,
    async send({ signal }: AgentRequest) {
      const response = respond(now());
      asked.push(now());
      if (response instanceof AgentError) throw response;
      const isInTime = await sleep(response, signal);
      if (!isInTime) throw new AgentError('cancelled', 'It was cancelled.');
      return { label: 'GET /metrics', status: 200, headers: {}, body: `{"load":${asked.length}}` };
    },
  };
  const ended = new AbortController();
  const { signal: cancel } = new AbortController();
  const inputs = { sampleInterval: intervalMs, timeout: 60 * S, failIf, warnIf: [] };
  const seen: number[] = [];
  const see = ({ figures }: Sample) => void seen.push(figures['load'] ?? 0);
  const sampling = sampleWhileRunning(ended.signal, inputs, client, { cancel, now, sleep }, see);
  await sleep(durationMs);
  ended.abort();
  const record = await sampling;
  const time = { from: 0, to: durationMs };
  const { monitored, samples } = judgeRecord(inputs, record, time, { cancelled: false });
  return {
    asked,
    endedAt: now(),
    gaps: monitored.gaps.map(({ from, to }) => [from, to]),
    samples: samples.map(({ at }) => at),
    failures: monitored.failures.map(({ message }) => message),
    seen,
  };
}

test('a command is sampled after 1 s, whatever the interval, and then after each interval', async () => {
  const { asked, endedAt, seen } = await sample({ durationMs: 40 * S, intervalMs: 15 * S });
  assert.deepEqual([asked, endedAt, seen], [[S, 16 * S, 31 * S], 40 * S, [1, 2, 3]]);
  assert.deepEqual((await sample({ durationMs: 500, intervalMs: 200 })).asked, [200, 400]);
});

test('a command that ends before its first sample is judged by one that is taken 200 ms later', async () => {
  const { asked, samples, gaps } = await sample({ durationMs: 999 });
  assert.deepEqual([asked, samples, gaps], [[1199], [1199], []]);
});

for (const [name, respondedAt, gaps] of [
  ['in time, so there is no gap', 12_999, []],
  ['too late, so there is a gap', 13_001, [[S, 8 * S]]],
] as const)
  test(`a sample that has no response at the end is waited for up to 5 s if it is judged [${name}]`, async () => {
    const respond = (askedAt: number) => (askedAt < 2 * S ? 0 : respondedAt - askedAt);
    const seen = await sample({ durationMs: 8 * S, respond });
    const failures = gaps.length === 0 ? [] : ['The sandbox had not answered after 11 s.'];
    assert.deepEqual([seen.gaps, seen.failures], [gaps, failures]);
    assert.equal(seen.endedAt, Math.min(respondedAt, 13 * S));
  });

test('sampleWhileRunning waits 0.5 s for a last response if there are no conditions', async () => {
  const hanging = { failIf: [], respond: () => 1000 * S };
  const long = await sample({ durationMs: 8 * S, ...hanging });
  assert.deepEqual([long.asked, long.endedAt], [[S], 8.5 * S]);
  const short = await sample({ durationMs: 999, ...hanging });
  assert.deepEqual([short.asked, short.endedAt], [[1199], 1499]);
});

test('a command of any length has no gaps if each sample takes 6 s', async () => {
  for (let seconds = 0.5; seconds < 30; seconds += 0.5) {
    const { gaps, endedAt } = await sample({ durationMs: seconds * S, respond: () => 6 * S });
    assert.deepEqual(gaps, [], `after ${seconds} s`);
    assert.ok(endedAt <= (seconds + 11.2) * S);
  }
});

test('sampleWhileRunning takes no sample after the command if two have failed, since the service probably has no stats', async () => {
  const respond = () => new AgentError('busy', 'It answered 503.');
  const { asked, gaps } = await sample({ durationMs: 2.5 * S, respond });
  assert.deepEqual([asked, gaps], [[S, 2 * S], [[0, 2.5 * S]]]);
});
