import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentRequest } from '../../src/agent/client.ts';
import { AgentError } from '../../src/agent/failure.ts';
import { sampleCommand } from '../../src/command/sample-command.ts';
import { judgeRecord } from '../../src/stats/gaps.ts';
import { fakeClock } from '../support/clock.ts';

const S = 1000;

/** How a sandbox responds to a request for stats. */
interface Response {
  readonly afterMs?: number;
  readonly fails?: boolean;
}

interface SampledCommand {
  readonly durationMs: number;
  readonly intervalMs?: number;
  /** The response to a request sent at this time. Default: a good one at once. */
  readonly respond?: (askedAt: number) => Response;
}

/** Samples a command by a clock that only moves while everything sleeps. */
async function sample({ durationMs, intervalMs = S, respond = () => ({}) }: SampledCommand) {
  const { now, sleep } = fakeClock();
  const asked: number[] = [];
  const client = {
    redact: String,
    async send({ signal }: AgentRequest) {
      const { afterMs = 0, fails = false } = respond(now());
      asked.push(now());
      const isInTime = await sleep(afterMs, signal);
      if (!isInTime) throw new AgentError('cancelled', 'It was cancelled.');
      if (fails) throw new AgentError('busy', 'It answered 503.');
      return { label: 'GET /metrics', status: 200, headers: {}, body: `{"load":${asked.length}}` };
    },
  };
  const ended = new AbortController();
  const { signal: cancel } = new AbortController();
  const inputs = { sampleInterval: intervalMs, timeout: 60 * S };
  const seen: number[] = [];
  const onSample = async (figures: ReadonlyMap<string, number>) => {
    seen.push(figures.get('load') ?? 0);
  };
  const sampling = sampleCommand(ended.signal, inputs, client, { cancel, now, sleep }, onSample);
  await sleep(durationMs);
  ended.abort();
  const record = await sampling;
  const conditions = { failIf: [], warnIf: [], sampleInterval: intervalMs };
  const time = { from: 0, to: durationMs };
  const { monitored, samples } = judgeRecord(conditions, record, time, { cancelled: false });
  return {
    asked,
    endedAt: now(),
    gaps: monitored.gaps.map(({ from, to }) => [from, to]),
    samples: samples.map(({ at }) => at),
    isSampledAfterEnd: monitored.isSampledAfterEnd,
    failures: monitored.failures.map(({ message }) => message),
    response: record.response,
    seen,
  };
}

const NEVER = { afterMs: 10_000 * S };

const slow = (seconds: number) => () => ({ afterMs: seconds * S });

test('a command is sampled after 1 s, whatever the interval, and then after each interval', async () => {
  const { asked, endedAt, seen } = await sample({ durationMs: 40 * S, intervalMs: 15 * S });
  assert.deepEqual([asked, endedAt, seen], [[S, 16 * S, 31 * S], 40 * S, [1, 2, 3]]);
  assert.deepEqual((await sample({ durationMs: 500, intervalMs: 200 })).asked, [200, 400]);
});

test('a command that ends before its first sample is judged by one that is taken 200 ms later', async () => {
  const { asked, samples, gaps, isSampledAfterEnd } = await sample({ durationMs: 999 });
  assert.deepEqual([asked, samples, gaps], [[1199], [1199], []]);
  assert.equal(isSampledAfterEnd, true);
  assert.equal((await sample({ durationMs: 1001 })).isSampledAfterEnd, false);
});

test('a sample that has no answer when the command ends is cut off, and no failure', async () => {
  const respond = (askedAt: number) => (askedAt < 3 * S ? {} : NEVER);
  const { endedAt, failures, gaps, response } = await sample({ durationMs: 7 * S, respond });
  assert.deepEqual([endedAt, failures, gaps], [7 * S, [], []]);
  assert.equal(response, '{"load":2}');
});

for (const [name, answeredAt, gaps] of [
  ['answered in time, no gap', 12_999, []],
  ['answered later, a gap', 13_001, [[S, 8 * S]]],
] as const)
  test(`a sample without which there is a gap is waited for up to 5 s [${name}]`, async () => {
    const respond = (askedAt: number) => (askedAt < 2 * S ? {} : { afterMs: answeredAt - askedAt });
    const seen = await sample({ durationMs: 8 * S, respond });
    const failures = gaps.length === 0 ? [] : ['The sandbox had not answered after 11 s.'];
    assert.deepEqual([seen.gaps, seen.failures], [gaps, failures]);
    assert.equal(seen.endedAt, Math.min(answeredAt, 13 * S));
  });

test('a command of any length has no gaps if each sample takes 6 s', async () => {
  for (let seconds = 0.5; seconds < 30; seconds += 0.5) {
    const { gaps, endedAt } = await sample({ durationMs: seconds * S, respond: slow(6) });
    assert.deepEqual(gaps, [], `after ${seconds} s`);
    assert.ok(endedAt <= (seconds + 11.2) * S);
  }
});

test('a command has no gaps if the connection is lost for 4 s in the middle', async () => {
  const respond = (askedAt: number) => ({ fails: askedAt > 10 * S && askedAt <= 14 * S });
  const { gaps, failures } = await sample({ durationMs: 20 * S, respond });
  assert.deepEqual([gaps, failures.length], [[], 4]);
});
