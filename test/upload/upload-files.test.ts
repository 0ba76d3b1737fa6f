import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { AgentError, type FailureKind, failureInfoOf } from '../../src/agent/failure.ts';
import { fileRow } from '../../src/upload/upload-files.ts';
import {
  plannedFile,
  plannedFiles,
  type Request,
  simulate,
} from '../support/simulated-transfer.ts';

const DENIED = new AgentError('unauthorized', 'The token is wrong.', { status: 401 });
const REJECTED = new AgentError('rejected', 'It is refused.', { status: 400 });
const SERVER = new AgentError('server', 'It failed.', { status: 500 });
const SLOW = new AgentError('busy', 'It is slow.', { status: 429, retryAfterMs: 5000 });

/** Returns a `failureOf` that fails the requests with these names. */
function failing(failures: Readonly<Record<string, Error>>) {
  return ({ name }: Request) => failures[name];
}

test('a transfer returns one result per file, in plan order, with unchanged files last', async () => {
  const [first, second, third] = plannedFiles(3);
  assert.ok(first && second && third);
  const known = { ...fileRow(first), status: 'unchanged', path: '/home/f0', sha256: 'a' } as const;
  const { results, repeated } = await simulate([second, third], failing({ f2: REJECTED }), {
    unchanged: [known],
    concurrency: 24,
    retries: 2,
  });
  const { kind, status, message, hint } = REJECTED;
  const sent = { attempts: 1, durationMs: 100 };
  assert.deepEqual(results, [
    { ...fileRow(second), status: 'uploaded', ...sent, path: '/home/f1', sha256: undefined },
    { ...fileRow(third), status: 'failed', ...sent, error: { kind, status, message, hint } },
    known,
  ]);
  assert.equal(repeated, 0);
  assert.deepEqual((await simulate([])).results, []);
});

for (const concurrency of [1, 3, 24])
  test(`a transfer keeps as many requests in flight as concurrency says [${concurrency}]`, async () => {
    const { statuses, requests, tookMs } = await simulate(plannedFiles(48), undefined, {
      concurrency,
    });
    assert.equal(statuses, 'u'.repeat(48));
    assert.equal(Math.max(...requests.map(({ inFlight }) => inFlight)), concurrency);
    assert.equal(tookMs, (48 / concurrency) * 100);
  });

test('a 500 is retried with backoff, and each retry is logged by the first file of its batch', async () => {
  const failingAtFirst = ({ at }: Request) => (at < 1500 ? SERVER : undefined);
  const options = { filesPerRequest: 3, retries: 4 };
  const { results, lines, tookMs } = await simulate(plannedFiles(3), failingAtFirst, options);
  const uploaded = { status: 'uploaded', attempts: 3, durationMs: 2550 };
  assert.partialDeepStrictEqual(results, [uploaded, uploaded, uploaded]);
  assert.equal(tookMs, 2550);
  assert.deepEqual(lines, [
    'Attempt 1 for f0 and 2 more failed, next in 750 ms: It failed.',
    'Attempt 2 for f0 and 2 more failed, next in 1.5 s: It failed.',
  ]);
});

test('a fatal failure ends the transfer, and retries that it prevents are not counted', async () => {
  // Both files fail in the first 100 ms. f0 is retried at 850 ms, while f1 still waits.
  const failAtFirst = failing({ f0: SERVER, f1: SLOW });
  const { lines, repeated, tookMs } = await simulate(
    plannedFiles(2),
    request => (request.at > 0 ? DENIED : failAtFirst(request)),
    { concurrency: 2, retries: 1 },
  );
  // The transfer ends with the retry of f0, without waiting for f1.
  assert.deepEqual([repeated, lines.length, tookMs], [1, 2, 950]);
});

test('a bug rejects the transfer, and nothing more is sent', async () => {
  const started: string[] = [];
  const bug = ({ name }: Request) => {
    started.push(name);
    return name === 'f1' ? new TypeError('a bug') : undefined;
  };
  await assert.rejects(simulate(plannedFiles(9), bug, { concurrency: 2 }), TypeError);
  assert.ok(started.length <= 4, started.join());
});

/** By the statuses of five files, the kinds with which all their requests fail. */
const ALL_FAIL: Readonly<Record<string, readonly FailureKind[]>> = {
  fnnnn: [
    'unauthorized',
    'forbidden',
    'sandbox-not-found',
    'disk-full',
    'unreachable',
    'cancelled',
  ],
  fffnn: ['busy', 'server', 'connection'],
  fffff: ['not-found', 'no-such-file', 'rejected', 'too-large', 'bad-response', 'file-changed'],
};
for (const [expected, kinds] of Object.entries(ALL_FAIL))
  test(`a transfer of which every request fails stops at once, after three, or never [${expected}]`, async () => {
    const sent = expected.replaceAll('n', '').length;
    for (const kind of kinds) {
      const failure = new AgentError(kind, 'It failed.');
      const options = { retries: 2 };
      const transfer = await simulate(plannedFiles(5), () => failure, options);
      assert.equal(transfer.statuses, expected, kind);
      assert.equal(transfer.requests.length, sent * (failure.isRetryable ? 3 : 1), kind);
      const reason = 'the transfer had ended: It failed.';
      if (sent < 5) assert.partialDeepStrictEqual(transfer.results[4], { reason });
    }
  });

test('a transfer goes on if a request succeeds between failures', async () => {
  const mixed = failing({ f0: SERVER, f1: SERVER, f3: SERVER, f4: SERVER });
  assert.equal((await simulate(plannedFiles(6), mixed)).statuses, 'ffuffu');
});

test('each file of a batch fails with its batch, and other batches are sent', async () => {
  const failures = failing({ 'f0 f1 f2': SERVER });
  const options = { filesPerRequest: 3, retries: 1 };
  const { statuses, requests, results } = await simulate(plannedFiles(6), failures, options);
  assert.deepEqual([statuses, requests.length], ['fffuuu', 3]);
  const failed = { status: 'failed', error: failureInfoOf(SERVER) };
  assert.partialDeepStrictEqual(results.slice(0, 3), [failed, failed, failed]);
});

/** Returns the same numbers each time: the "minimal standard" generator of Park and Miller. */
function pseudoRandom() {
  let state = 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

for (const status of [429, 503])
  test(`a sandbox that answers some parallel requests with busy still gets all 2,000 files [${status}]`, async () => {
    const busy = new AgentError('busy', 'It is busy.', { status });
    for (const [most, takesMs] of [
      [8, 20],
      [2, 1000],
    ] as const) {
      const sandbox = ({ inFlight }: Request) => (inFlight > most ? busy : undefined);
      const { statuses, requests, debugLines } = await simulate(plannedFiles(2000), sandbox, {
        concurrency: 24,
        retries: 4,
        takesMs,
        random: pseudoRandom(),
      });
      assert.equal(statuses, 'u'.repeat(2000));
      assert.ok(requests.length < 2100, `${requests.length} requests`);
      const limits = debugLines.map(text => Number(/→ (\d+)/.exec(text)?.[1]));
      assert.deepEqual(limits, [12, 6, 3, 1].slice(0, limits.length));
      assert.ok((limits.at(-1) ?? 0) <= most);
    }
  });

test('files at the same path all fail, even unchanged ones, since only one of them is there', async () => {
  const planned = ['same', '/home/same', 'x'].map(target => plannedFile(target));
  const place = { path: '/home/same', sha256: 'a' };
  const known = { ...fileRow(plannedFile('y')), status: 'unchanged', ...place } as const;
  const { results, statuses } = await simulate(planned, undefined, {
    storedPath: target => posix.resolve('/home', target),
    unchanged: [known],
  });
  assert.equal(statuses, 'ffuf');
  assert.partialDeepStrictEqual(results[3], { source: 'y', attempts: 0, durationMs: 0 });
  const message =
    'same and 2 more were stored at the same place, /home/same: only one of them is there.';
  assert.partialDeepStrictEqual(results[0], { attempts: 1, error: { message } });
});
