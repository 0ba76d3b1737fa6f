import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { type InputError, inputError } from '../../src/inputs/input-error.ts';
import type { RawInputs } from '../../src/inputs/parsers.ts';
import { waitForSandbox } from '../../src/stats/stats.ts';
import { parseSyncInputs } from '../support/parse-inputs.ts';
import { simulateAgent } from '../support/simulated-transfer.ts';

const BUSY = new AgentError('busy', 'It answered 503.');
const STALLED = new AgentError('connection', 'It did not end within timeout.');
const GONE = new AgentError('sandbox-not-found', 'It answered 404.');
const WRONG_TOKEN = new AgentError('unauthorized', 'It answered 401.');

/** The load that the sandbox reports, or an error. */
type Answer = number | AgentError;

/**
 * Waits for a sandbox that gives these answers in turn, then repeats the last one. The step is
 * cancelled during request number `cancelledAt`.
 */
async function wait(answers: readonly Answer[], inputs: RawInputs, cancelledAt?: number) {
  const job = new AbortController();
  const { context, client, lines } = simulateAgent(undefined, { cancel: job.signal });
  let requests = 0;
  const send = async () => {
    const answer = answers[requests] ?? answers.at(-1);
    requests += 1;
    if (requests === cancelledAt) job.abort('the job was cancelled');
    if (job.signal.aborted) throw new AgentError('cancelled', 'It was cancelled.');
    if (answer instanceof AgentError) throw answer;
    return { label: 'GET /metrics', status: 200, body: `{"load":${answer}}`, headers: {} };
  };
  const waiting = waitForSandbox(parseSyncInputs(inputs), { ...client, send }, context);
  const problem = await waiting.catch((error: unknown) => error);
  return { problem, requests, lines, waitedMs: context.now() };
}

type WaitCase = readonly [
  answers: readonly Answer[],
  took: readonly [requests: number, seconds: number],
  inputs?: RawInputs,
  problem?: AgentError | InputError,
];

const late = (why: string) => `The sandbox was not ready within 5 s. ${why}`;
const RAISE = 'If the sandbox needs longer, raise wait-timeout.';
const UNMET = '`load < 5` is false: it was 9';
const UNJUDGED =
  '`mem_cache > 1B` cannot be judged: the sandbox does not report `mem_cache`; it reports `load`.';

const WAIT_CASES: Readonly<Record<string, WaitCase>> = {
  'ends at once if the conditions are true': [[4], [1, 0]],
  'with `ready` ends at a response': [[BUSY, BUSY, 99], [3, 2], { 'wait-until': 'ready' }],
  'ends when all conditions are true in one sample': [
    [1, 9, 1, 4],
    [4, 3],
    { 'wait-until': 'load < 5\nload > 2\nload.max != 3' },
  ],
  'ends at a permanent error, such as a wrong token': [[9, WRONG_TOKEN], [2, 1], {}, WRONG_TOKEN],
  'ends if the sandbox is missing': [[9, GONE], [2, 1], {}, GONE],
  'takes a last sample when its time is up': [[9, 9, 4], [3, 5], { 'sample-interval': '3s' }],
  'reports the unmet conditions of the last sample': [
    [99, 9],
    [6, 5],
    { 'wait-until': 'load < 5\nload > 0' },
    new AgentError('busy', late(UNMET), { hint: RAISE }),
  ],
  'ends at the first sample that lacks a metric': [
    [BUSY, 9],
    [2, 1],
    { 'wait-until': 'load < 5\nload > 0\nmem_cache > 1B' },
    inputError('wait-until', UNJUDGED),
  ],
  'reports the last error': [[9, BUSY], [6, 5], {}, new AgentError('busy', late(BUSY.message))],
  'names wait-timeout after a response that did not come': [
    [9, STALLED],
    [6, 5],
    {},
    new AgentError('busy', late(STALLED.message), { hint: RAISE }),
  ],
};

for (const [name, [answers, took, inputs, expected]] of Object.entries(WAIT_CASES))
  test(`waitForSandbox asks until one sample meets all conditions, or asking is pointless [${name}]`, async () => {
    const timing = { 'wait-timeout': '5s', 'sample-interval': '1s' };
    const given = { 'wait-until': 'load < 5', ...timing, ...inputs };
    const { problem, requests, waitedMs } = await wait(answers, given);
    assert.deepEqual([problem, requests, waitedMs / 1000], [expected, ...took]);
  });

test('waitForSandbox ends without an error if the job is cancelled during a request', async () => {
  const { problem, requests } = await wait([9], { 'wait-until': 'load < 5' }, 2);
  assert.deepEqual([problem, requests], [undefined, 2]);
});

test('waitForSandbox logs every 15 s why the sandbox is not ready, and when it is', async () => {
  const timing = { 'wait-timeout': '1m', 'sample-interval': '10s' };
  const answers = [9, 9, BUSY, BUSY, 9, 4];
  const { lines } = await wait(answers, { 'wait-until': 'load < 5', ...timing });
  assert.deepEqual(lines, [
    'Waiting up to 1 min for the sandbox',
    'Waited 20 s: It answered 503.',
    `Waited 40 s: ${UNMET}`,
    'The sandbox was ready after 50 s',
  ]);
});
