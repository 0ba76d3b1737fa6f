import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import type { RawInputs } from '../../src/inputs/parsers.ts';
import { reasonLines } from '../../src/report/reason.ts';
import { waitForSandbox } from '../../src/tasks/measure.ts';
import { fakeClock } from '../support/clock.ts';
import { parseSyncInputs } from '../support/parse-inputs.ts';

const BUSY = new AgentError('busy', 'It answered 503.');
const WRONG_TOKEN = new AgentError('unauthorized', 'It answered 401.');

/** The load that the sandbox reports, or an error. */
type Answer = number | AgentError;

/** Waits for a sandbox that gives these answers in turn, then repeats the last one. */
async function wait(answers: readonly Answer[], inputs: RawInputs) {
  const { now, sleep } = fakeClock();
  const notes: string[] = [];
  let requests = 0;
  const send = async () => {
    const answer = answers[requests] ?? answers.at(-1);
    requests += 1;
    if (answer instanceof AgentError) throw answer;
    return { label: 'GET /metrics', status: 200, body: `{"load":${answer}}`, headers: {} };
  };
  const { signal } = new AbortController();
  const error = await waitForSandbox(
    parseSyncInputs(inputs),
    { send, redact: String, receive: () => assert.fail(), async [Symbol.asyncDispose]() {} },
    {
      workspace: '/w',
      cancel: signal,
      killImminent: signal,
      clock: now,
      now,
      sleep,
      random: () => 0,
      redact: String,
      sandboxes: [],
      log: { line: text => notes.push(text), output() {}, debug() {}, warning() {} },
    },
  );
  return {
    says: error && [error.title, ...reasonLines(error.reason)],
    requests,
    notes,
    waitedMs: now(),
  };
}

interface WaitCase {
  readonly answers: readonly Answer[];
  readonly inputs?: RawInputs;
  readonly waitedMs: number;
  readonly requests: number;
  /** Title, message, details and advice of the expected error, if any. */
  readonly says?: readonly (string | undefined)[];
}

const LATE = 'The sandbox was not ready within 5 s.';
const UNMET = '`load < 5` does not hold: it was 9';
const UNJUDGED =
  '`mem_cache > 1B` cannot be judged: the sandbox does not report `mem_cache`; it reports `load`';

const WAIT_CASES: Readonly<Record<string, WaitCase>> = {
  'ends at once if the conditions hold': { answers: [4], waitedMs: 0, requests: 1 },
  'with `ready` ends at the first answer, and does not retry errors before it': {
    answers: [BUSY, BUSY, 99],
    inputs: { 'wait-until': 'ready' },
    waitedMs: 2000,
    requests: 3,
  },
  'ends when all conditions hold in one sample': {
    answers: [1, 9, 1, 4],
    inputs: { 'wait-until': 'load < 5\nload > 2\nload.max != 3' },
    waitedMs: 3000,
    requests: 4,
  },
  'ends at a permanent error, such as a wrong token': {
    answers: [9, WRONG_TOKEN, 1],
    waitedMs: 1000,
    requests: 2,
    says: [undefined, WRONG_TOKEN.message, WRONG_TOKEN.hint],
  },
  'takes a last sample when its time is up': {
    answers: [9, 9, 4],
    inputs: { 'sample-interval': '3s' },
    waitedMs: 5000,
    requests: 3,
  },
  'reports the unmet conditions of the last sample': {
    answers: [99, 9],
    inputs: { 'wait-until': 'load < 5\nload > 0\nmem_cache > 1B' },
    waitedMs: 5000,
    requests: 6,
    says: [LATE, UNMET, UNJUDGED],
  },
  'reports the last error with the figures before it': {
    answers: [9, BUSY],
    waitedMs: 5000,
    requests: 6,
    says: [LATE, BUSY.message, UNMET, BUSY.hint],
  },
};

for (const [name, { answers, inputs, says, ...expected }] of Object.entries(WAIT_CASES))
  test(`waitForSandbox ${name}`, async () => {
    const timing = { 'wait-timeout': '5s', 'sample-interval': '1s' };
    const waited = await wait(answers, { 'wait-until': 'load < 5', ...timing, ...inputs });
    assert.deepEqual(waited.says, says);
    assert.deepEqual({ waitedMs: waited.waitedMs, requests: waited.requests }, expected);
  });

test('waitForSandbox logs every 15 s why the sandbox is not ready, and when it is', async () => {
  const timing = { 'wait-timeout': '1m', 'sample-interval': '10s' };
  const answers = [9, 9, BUSY, BUSY, 9, 4];
  const { notes } = await wait(answers, { 'wait-until': 'load < 5', ...timing });
  assert.deepEqual(notes, [
    'Waiting up to 1 min for the sandbox',
    `Waited 20 s: ${UNMET}; It answered 503.`,
    `Waited 40 s: ${UNMET}`,
    'The sandbox was ready after 50 s',
  ]);
});
