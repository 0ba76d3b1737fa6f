import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import type { Outcome } from '../../src/agent/retry.ts';
import { takeSamples, type WaitResult, waitUntil } from '../../src/stats/sample.ts';
import type { Stats } from '../../src/stats/stats.ts';
import { fakeClock } from '../clock.ts';
import { parse } from '../gate/parse-condition.ts';
import { statsFromJson } from './stats-from-json.ts';

const BUSY = new AgentError('busy', 'It answered 503.');
const UNREACHABLE = new AgentError('unreachable', 'It refused the connection.');
const WRONG_TOKEN = new AgentError('unauthorized', 'It answered 401.');

/** A load, or an error. */
type Answer = number | AgentError;

/** Returns each answer in turn, then the last one again and again. */
function fakeAgent(...answers: readonly [Answer, ...Answer[]]) {
  let count = 0;
  return {
    count: () => count,
    async read(): Promise<Outcome<Stats>> {
      const answer = answers[Math.min(count, answers.length - 1)] ?? answers[0];
      count += 1;
      if (answer instanceof AgentError) return { attempts: 1, error: answer };
      return { attempts: 1, value: statsFromJson(`{"load":${answer}}`) };
    },
  };
}

/** A fake clock, and a signal that aborts at a time. */
function cancelledAt(ms = Number.POSITIVE_INFINITY) {
  const { now, sleep } = fakeClock();
  const controller = new AbortController();
  return {
    now,
    clock: now,
    stop: controller.signal,
    sleep(duration: number, signal: AbortSignal) {
      if (now() >= ms) controller.abort();
      return sleep(duration, signal);
    },
  };
}

interface SampleCase {
  readonly answers: readonly [Answer, ...Answer[]];
  readonly count: number;
  readonly cpuWindowStarted?: boolean;
  readonly cancelAt?: number;
  /** The times and loads of the samples, such as `250: 1`. */
  readonly taken: readonly string[];
  readonly error?: AgentError;
  readonly requests: number;
}

const SAMPLE_CASES: Readonly<Record<string, SampleCase>> = {
  'sends one request for one sample': { answers: [7], count: 1, taken: ['0: 7'], requests: 1 },
  'drops the first of several samples': {
    answers: [0, 1, 2],
    count: 2,
    taken: ['250: 1', '500: 2'],
    requests: 3,
  },
  'keeps the first sample after an earlier request': {
    answers: [0, 1],
    count: 2,
    cpuWindowStarted: true,
    taken: ['0: 0', '250: 1'],
    requests: 2,
  },
  'ends at the first error, and keeps earlier samples': {
    answers: [0, 1, BUSY, 3],
    count: 4,
    taken: ['250: 1'],
    error: BUSY,
    requests: 3,
  },
  'ends at an error of the dropped sample': {
    answers: [WRONG_TOKEN, 1],
    count: 2,
    taken: [],
    error: WRONG_TOKEN,
    requests: 1,
  },
  'ends without an error when the job is cancelled': {
    answers: [0, 1, 2, 3],
    count: 9,
    cancelAt: 500,
    taken: ['250: 1', '500: 2'],
    requests: 3,
  },
};

for (const [name, given] of Object.entries(SAMPLE_CASES))
  test(`takeSamples ${name}`, async () => {
    const { answers, count, cpuWindowStarted = false, ...expected } = given;
    const agent = fakeAgent(...answers);
    const time = cancelledAt(expected.cancelAt);
    const start = time.now();
    const options = { ...time, count, intervalMs: 250, cpuWindowStarted };
    const { samples, error } = await takeSamples(() => agent.read(), options);
    const taken = samples.map(({ at, figures }) => `${at - start}: ${figures.get('load')}`);
    assert.deepEqual([taken, error], [expected.taken, expected.error]);
    assert.equal(agent.count(), expected.requests);
  });

interface WaitCase {
  readonly answers: readonly [Answer, ...Answer[]];
  readonly until?: readonly string[];
  readonly intervalMs?: number;
  readonly cancelAt?: number;
  readonly waitedMs: number;
  readonly isReady?: true;
  /** The conditions, and the figures seen. */
  readonly unmet?: readonly (readonly [text: string, seen: unknown])[];
  readonly error?: AgentError;
  readonly requests: number;
}

const UNMET = [['load < 5', 9]] as const;

const WAIT_CASES: Readonly<Record<string, WaitCase>> = {
  'ends at once if the conditions hold': { answers: [4], isReady: true, waitedMs: 0, requests: 1 },
  'ends as soon as the conditions hold': {
    answers: [9, 7, 4, 9],
    isReady: true,
    waitedMs: 2000,
    requests: 3,
  },
  'ends when all conditions hold in one sample': {
    answers: [1, 9, 1, 4],
    until: ['load < 5', 'load > 2', 'load.max != 3'],
    isReady: true,
    waitedMs: 3000,
    requests: 4,
  },
  'without conditions ends with the first sample': {
    answers: [UNREACHABLE, 99],
    until: [],
    isReady: true,
    waitedMs: 1000,
    requests: 2,
  },
  'continues after retryable errors': {
    answers: [UNREACHABLE, BUSY, 1],
    isReady: true,
    waitedMs: 2000,
    requests: 3,
  },
  'ends at a permanent error': {
    answers: [9, WRONG_TOKEN, 1],
    waitedMs: 1000,
    unmet: UNMET,
    error: WRONG_TOKEN,
    requests: 2,
  },
  'takes a last sample when its time is up': {
    answers: [9, 9, 4],
    intervalMs: 3000,
    isReady: true,
    waitedMs: 5000,
    requests: 3,
  },
  'reports the unmet conditions of the last sample': {
    answers: [99, 9],
    until: ['load < 5', 'load > 0', 'mem_cache > 1B'],
    waitedMs: 5000,
    unmet: [
      ['load < 5', 9],
      ['mem_cache > 1B', 'the sandbox does not report `mem_cache`; it reports `load`'],
    ],
    requests: 6,
  },
  'reports the last error with the figures before it': {
    answers: [9, BUSY],
    waitedMs: 5000,
    unmet: UNMET,
    error: BUSY,
    requests: 6,
  },
  'ends when the job is cancelled': {
    answers: [9],
    cancelAt: 2000,
    waitedMs: 2000,
    unmet: UNMET,
    requests: 3,
  },
};

for (const [name, given] of Object.entries(WAIT_CASES))
  test(`waitUntil ${name}`, async () => {
    const { answers, until = ['load < 5'], requests, ...expected } = given;
    const agent = fakeAgent(...answers);
    const results: WaitResult[] = [];
    const result = await waitUntil(until.map(parse), () => agent.read(), {
      ...cancelledAt(expected.cancelAt),
      intervalMs: expected.intervalMs ?? 1000,
      timeoutMs: 5000,
      onSample: each => results.push(each),
    });
    const seen = result.unmet.map(judgement => [
      judgement.condition.text,
      judgement.holds === undefined ? judgement.why : judgement.figure,
    ]);
    const { isReady = false, waitedMs, unmet: notHeld = [], error } = expected;
    assert.deepEqual({ ...result, unmet: seen }, { isReady, waitedMs, unmet: notHeld, error });
    assert.deepEqual([agent.count(), results.length, results.at(-1)], [requests, requests, result]);
  });
