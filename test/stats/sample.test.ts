import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import type { Outcome } from '../../src/agent/retry.ts';
import { takeSamples, type WaitResult, waitUntil } from '../../src/stats/sample.ts';
import type { Stats } from '../../src/stats/stats.ts';
import { fakeClock } from '../clock.ts';
import { parse } from '../gate/given.ts';
import { decoded } from './given.ts';

const BUSY = new AgentError('busy', 'It answered 503.');
const UNREACHABLE = new AgentError('unreachable', 'It refused the connection.');
const WRONG_TOKEN = new AgentError('unauthorized', 'It answered 401.');

/** A load, or an error. */
type Answer = number | AgentError;

/** Answers in turn, then always the last one. */
function answering(...answers: readonly [Answer, ...Answer[]]) {
  let count = 0;
  return {
    count: () => count,
    async read(): Promise<Outcome<Stats>> {
      const answer = answers[Math.min(count, answers.length - 1)] ?? answers[0];
      count += 1;
      if (answer instanceof AgentError) return { attempts: 1, error: answer };
      return { attempts: 1, value: decoded(`{"load":${answer}}`) };
    },
  };
}

/** A clock, and a signal that aborts at a time. */
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

describe('samples', () => {
  interface Case {
    readonly answers: readonly [Answer, ...Answer[]];
    readonly count: number;
    readonly cpuWindowStarted?: boolean;
    readonly cancelAt?: number;
    /** When samples were taken, and their loads. */
    readonly taken: readonly (readonly [ms: number, load: number])[];
    readonly error?: AgentError;
    readonly requests: number;
  }
  const cases: Readonly<Record<string, Case>> = {
    'of one are one request': { answers: [7], count: 1, taken: [[0, 7]], requests: 1 },
    'of several drop the first answer': {
      answers: [0, 1, 2],
      count: 2,
      taken: [
        [250, 1],
        [500, 2],
      ],
      requests: 3,
    },
    'of several count the first after an earlier request': {
      answers: [0, 1],
      count: 2,
      cpuWindowStarted: true,
      taken: [
        [0, 0],
        [250, 1],
      ],
      requests: 2,
    },
    'end with the first error, and keep what was taken': {
      answers: [0, 1, BUSY, 3],
      count: 4,
      taken: [[250, 1]],
      error: BUSY,
      requests: 3,
    },
    'end with an error of the answer that is dropped': {
      answers: [WRONG_TOKEN, 1],
      count: 2,
      taken: [],
      error: WRONG_TOKEN,
      requests: 1,
    },
    'end without an error when the job is cancelled': {
      answers: [0, 1, 2, 3],
      count: 9,
      cancelAt: 500,
      taken: [
        [250, 1],
        [500, 2],
      ],
      requests: 3,
    },
  };
  for (const [name, { answers, count, cpuWindowStarted = false, ...expected }] of Object.entries(
    cases,
  ))
    test(name, async () => {
      const agent = answering(...answers);
      const time = cancelledAt(expected.cancelAt);
      const start = time.now();
      const options = { ...time, count, intervalMs: 250, cpuWindowStarted };
      const { samples, error } = await takeSamples(() => agent.read(), options);
      const taken = samples.map(({ at, figures }) => [at - start, figures.get('load')]);
      assert.deepEqual([taken, error], [expected.taken, expected.error]);
      assert.equal(agent.count(), expected.requests);
    });
});

describe('waiting', () => {
  interface Case {
    readonly answers: readonly [Answer, ...Answer[]];
    readonly until?: readonly string[];
    readonly intervalMs?: number;
    readonly timeoutMs?: number;
    readonly cancelAt?: number;
    readonly waitedMs: number;
    readonly isReady?: true;
    /** The conditions, and the figures seen. */
    readonly unmet?: readonly (readonly [text: string, seen: unknown])[];
    readonly error?: AgentError;
    readonly requests: number;
  }
  const unmet = [['load < 5', 9]] as const;
  const cases: Readonly<Record<string, Case>> = {
    'ends at once if the conditions hold': {
      answers: [4],
      isReady: true,
      waitedMs: 0,
      requests: 1,
    },
    'ends as soon as they hold': {
      answers: [9, 7, 4, 9],
      isReady: true,
      waitedMs: 2000,
      requests: 3,
    },
    'ends only when all hold in one sample': {
      answers: [1, 9, 1, 4],
      until: ['load < 5', 'load > 2', 'load.max != 3'],
      isReady: true,
      waitedMs: 3000,
      requests: 4,
    },
    'ends with any stats without conditions': {
      answers: [UNREACHABLE, 99],
      until: [],
      isReady: true,
      waitedMs: 1000,
      requests: 2,
    },
    'goes on after errors that pass': {
      answers: [UNREACHABLE, BUSY, 1],
      isReady: true,
      waitedMs: 2000,
      requests: 3,
    },
    'ends with an error that does not pass': {
      answers: [9, WRONG_TOKEN, 1],
      waitedMs: 1000,
      unmet,
      error: WRONG_TOKEN,
      requests: 2,
    },
    'looks a last time when its time is up': {
      answers: [9, 9, 4],
      intervalMs: 3000,
      isReady: true,
      waitedMs: 5000,
      requests: 3,
    },
    'ends with the figures last seen when its time is up': {
      answers: [99, 9],
      until: ['load < 5', 'load > 0', 'mem_cache > 1B'],
      waitedMs: 5000,
      unmet: [
        ['load < 5', 9],
        ['mem_cache > 1B', 'the sandbox does not report `mem_cache`; it reports `load`'],
      ],
      requests: 6,
    },
    'ends with the last error, and the figures seen before': {
      answers: [9, BUSY],
      waitedMs: 5000,
      unmet,
      error: BUSY,
      requests: 6,
    },
    'ends when the job is cancelled': {
      answers: [9],
      cancelAt: 2000,
      waitedMs: 2000,
      unmet,
      requests: 3,
    },
  };
  for (const [name, { answers, until = ['load < 5'], requests, ...expected }] of Object.entries(
    cases,
  ))
    test(name, async () => {
      const agent = answering(...answers);
      const told: WaitResult[] = [];
      const { intervalMs = 1000, timeoutMs = 5000 } = expected;
      const result = await waitUntil(until.map(parse), () => agent.read(), {
        ...cancelledAt(expected.cancelAt),
        intervalMs,
        timeoutMs,
        onSample: state => told.push(state),
      });
      const seen = result.unmet.map(judgement => [
        judgement.condition.text,
        judgement.holds === undefined ? judgement.why : judgement.figure,
      ]);
      const { isReady = false, waitedMs, unmet: notHeld = [], error } = expected;
      assert.deepEqual({ ...result, unmet: seen }, { isReady, waitedMs, unmet: notHeld, error });
      assert.deepEqual([agent.count(), told.length, told.at(-1)], [requests, requests, result]);
    });
});
