import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../src/agent/client.ts';
import { AgentError } from '../../src/agent/failure.ts';
import { type Inputs, parseInputs } from '../../src/inputs/inputs.ts';
import type { RawInputs } from '../../src/inputs/parsers.ts';
import type { Context } from '../../src/tasks/context.ts';
import { measure, waitForSandbox } from '../../src/tasks/measure.ts';
import { fakeClock } from '../clock.ts';

const BUSY = new AgentError('busy', 'It answered 503.');
const UNREACHABLE = new AgentError('unreachable', 'It refused the connection.');
const WRONG_TOKEN = new AgentError('unauthorized', 'It answered 401.');

/** A load, or an error. */
type Answer = number | AgentError;

/** Returns each answer in turn, then the last one again and again. */
function fakeAgent(answers: readonly [Answer, ...Answer[]]) {
  let count = 0;
  const client: Client = {
    redact: text => text,
    receive: () => assert.fail(),
    async send({ method, path }) {
      const answer = answers[Math.min(count, answers.length - 1)] ?? answers[0];
      count += 1;
      if (answer instanceof AgentError) throw answer;
      const label = `${method} ${path}`;
      return { label, status: 200, text: `{"load":${answer}}`, headers: {} };
    },
  };
  return { client, count: () => count };
}

/** Returns a context whose job is cancelled at a time, and the lines that it logs. */
function contextCancelledAt(ms = Number.POSITIVE_INFINITY) {
  const clock = fakeClock();
  const controller = new AbortController();
  const lines: string[] = [];
  const context: Context = {
    workspace: '/w',
    cancel: controller.signal,
    killImminent: controller.signal,
    clock: clock.now,
    now: clock.now,
    random: () => 0,
    redact: text => text,
    sandboxes: [],
    log: { line: text => lines.push(text), output() {}, debug() {}, warning() {} },
    sleep(duration, signal) {
      if (clock.now() >= ms) controller.abort();
      return clock.sleep(duration, signal);
    },
  };
  return { context, lines };
}

/** Parses inputs without retries, and with an interval of 1 s. */
function inputsWith(changes: RawInputs): Inputs<'stats'> {
  const connection = {
    'sandbox-id': 'i1',
    token: 'tok',
    'base-url': 'https://sandbox.example.com',
  };
  return parseInputs('stats', { ...connection, retries: '0', ...changes });
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
  test(`measure ${name}`, async () => {
    const { answers, count, cpuWindowStarted, cancelAt, ...expected } = given;
    const agent = fakeAgent(answers);
    const { context } = contextCancelledAt(cancelAt);
    const inputs = inputsWith({ samples: String(count), 'sample-interval': '250ms' });
    const result = await measure(inputs, agent.client, context, cpuWindowStarted);
    const samples = result.measured?.samples ?? [];
    const taken = samples.map(({ at, figures }) => `${at}: ${figures.get('load')}`);
    const messages = result.errors.map(({ message }) => message);
    assert.deepEqual(messages, expected.error === undefined ? [] : [expected.error.message]);
    assert.deepEqual([taken, agent.count()], [expected.taken, expected.requests]);
  });

interface WaitCase {
  readonly answers: readonly [Answer, ...Answer[]];
  readonly until?: string;
  readonly interval?: string;
  readonly cancelAt?: number;
  readonly waitedMs: number;
  /** The title of the error, its message, details and advice; missing if there is no error. */
  readonly says?: readonly (string | undefined)[];
  readonly requests: number;
}

const LATE = 'The sandbox was not ready within 5 s.';
const UNMET = '`load < 5` does not hold: it was 9';

const WAIT_CASES: Readonly<Record<string, WaitCase>> = {
  'ends at once if the conditions hold': { answers: [4], waitedMs: 0, requests: 1 },
  'ends as soon as the conditions hold': { answers: [9, 7, 4, 9], waitedMs: 2000, requests: 3 },
  'ends when all conditions hold in one sample': {
    answers: [1, 9, 1, 4],
    until: 'load < 5\nload > 2\nload.max != 3',
    waitedMs: 3000,
    requests: 4,
  },
  'without conditions ends with the first sample': {
    answers: [UNREACHABLE, 99],
    until: 'ready',
    waitedMs: 1000,
    requests: 2,
  },
  'continues after retryable errors': {
    answers: [UNREACHABLE, BUSY, 1],
    waitedMs: 2000,
    requests: 3,
  },
  'ends at a permanent error': {
    answers: [9, WRONG_TOKEN, 1],
    waitedMs: 1000,
    says: [undefined, WRONG_TOKEN.message, WRONG_TOKEN.hint],
    requests: 2,
  },
  'takes a last sample when its time is up': {
    answers: [9, 9, 4],
    interval: '3s',
    waitedMs: 5000,
    requests: 3,
  },
  'reports the unmet conditions of the last sample': {
    answers: [99, 9],
    until: 'load < 5\nload > 0\nmem_cache > 1B',
    waitedMs: 5000,
    says: [
      LATE,
      LATE,
      UNMET,
      '`mem_cache > 1B` cannot be judged: the sandbox does not report `mem_cache`; it reports `load`',
    ],
    requests: 6,
  },
  'reports the last error with the figures before it': {
    answers: [9, BUSY],
    waitedMs: 5000,
    says: [LATE, LATE, BUSY.message, UNMET, BUSY.hint],
    requests: 6,
  },
  'ends without an error when the job is cancelled': {
    answers: [9],
    cancelAt: 2000,
    waitedMs: 2000,
    requests: 3,
  },
};

for (const [name, given] of Object.entries(WAIT_CASES))
  test(`waitForSandbox ${name}`, async () => {
    const { answers, until = 'load < 5', interval = '1s', says, cancelAt, ...expected } = given;
    const agent = fakeAgent(answers);
    const { context } = contextCancelledAt(cancelAt);
    const inputs = inputsWith({
      'wait-until': until,
      'wait-timeout': '5s',
      'sample-interval': interval,
    });
    const error = await waitForSandbox(inputs, agent.client, context);
    const { title, message, details = [], advice = [] } = error ?? {};
    const lines = error && [title, message, ...details, ...advice];
    assert.deepEqual(lines, says);
    const seen = { waitedMs: context.clock(), requests: agent.count() };
    assert.deepEqual(seen, expected);
  });

test('waitForSandbox logs every 15 s why the sandbox is not ready, and when it is', async () => {
  const { client } = fakeAgent([9, 9, BUSY, BUSY, 9, 4]);
  const { context, lines } = contextCancelledAt();
  const inputs = inputsWith({
    'wait-until': 'load < 5',
    'wait-timeout': '1m',
    'sample-interval': '10s',
  });
  await waitForSandbox(inputs, client, context);
  assert.deepEqual(lines, [
    'Waiting up to 1 min for the sandbox',
    `Waited 20 s: ${UNMET}; It answered 503.`,
    `Waited 40 s: ${UNMET}`,
    'The sandbox was ready after 50 s',
  ]);
});
