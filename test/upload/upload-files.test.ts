import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { AgentError, type FailureKind, failureInfoOf } from '../../src/agent/failure.ts';
import type { UploadedFile } from '../../src/upload/uploaded-file.ts';
import {
  plannedFile,
  plannedFiles,
  type Request,
  simulate,
} from '../support/simulated-transfer.ts';

const BUSY = new AgentError('busy', 'It is busy.', { status: 429 });
const DENIED = new AgentError('unauthorized', 'The token is wrong.', { status: 401 });
const REJECTED = new AgentError('rejected', 'It is refused.', { status: 400 });
const BAD = new AgentError('bad-response', 'It stored another one.', { status: 200 });
const SERVER = new AgentError('server', 'It failed.', { status: 500 });
const SLOW = new AgentError('busy', 'It is slow.', { status: 429, retryAfterMs: 5000 });

function errorOf(result: UploadedFile | undefined) {
  assert.ok(result?.status === 'failed');
  return result.error;
}

function reasonOf(result: UploadedFile | undefined): string {
  assert.ok(result?.status === 'not-attempted');
  return result.reason;
}

/** Returns a `failureOf` that fails the requests with these names. */
function failing(failures: Readonly<Record<string, Error>>) {
  return ({ name }: Request) => failures[name];
}

test('a transfer returns one result per file, in plan order, with unchanged files last', async () => {
  const [first, second, third] = plannedFiles(3);
  assert.ok(first && second && third);
  const known = { status: 'unchanged', file: first, path: '/home/f0', sha256: 'a' } as const;
  const { results, repeated } = await simulate([second, third], failing({ f2: REJECTED }), {
    unchanged: [known],
    concurrency: 24,
    retries: 2,
  });
  const { kind, status, message, hint } = REJECTED;
  const sent = { attempts: 1, durationMs: 100 };
  assert.deepEqual(results, [
    { status: 'uploaded', file: second, ...sent, path: '/home/f1', sha256: undefined },
    { status: 'failed', file: third, ...sent, error: { kind, status, message, hint } },
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

test('a 500 is retried with backoff, and each retry is logged', async () => {
  const busy = ({ at }: Request) => (at < 1500 ? SERVER : undefined);
  const { results, lines, tookMs } = await simulate(plannedFiles(1), busy, { retries: 4 });
  const [result] = results;
  assert.ok(result?.status === 'uploaded');
  assert.deepEqual([result.attempts, result.durationMs, tookMs], [3, 2550, 2550]);
  assert.deepEqual(lines, [
    'Attempt 1 for f0 failed, next in 750 ms: It failed.',
    'Attempt 2 for f0 failed, next in 1.5 s: It failed.',
  ]);
});

test('a retry of a batch names its first file and counts the others', async () => {
  const busy = ({ at }: Request) => (at === 0 ? SERVER : undefined);
  const { lines } = await simulate(plannedFiles(3), busy, { filesPerRequest: 3, retries: 1 });
  assert.match(lines.join('\n'), /^Attempt 1 for f0 and 2 more failed, /);
});

for (const [reason, end] of Object.entries({
  'a cancelled job': (controller: AbortController) => controller.abort('the job was cancelled'),
  'a fatal failure': () => DENIED,
}))
  test(`the retry count excludes retries that were prevented [${reason}]`, async () => {
    const controller = new AbortController();
    const { lines, repeated, tookMs } = await simulate(
      plannedFiles(2),
      // Both files fail in the first 100 ms. f0 is retried at 850 ms, while f1 still waits.
      ({ name, at }) => {
        if (at === 0) return name === 'f0' ? SERVER : SLOW;
        return end(controller) ?? SERVER;
      },
      { concurrency: 2, retries: 1, cancel: controller.signal },
    );
    assert.equal(repeated, 1);
    assert.equal(lines.length, 2);
    // The transfer ends with the retry of f0, without waiting for f1.
    assert.equal(tookMs, 950);
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

/** By the kind with which all requests fail: the first letters of five files' statuses. */
const ALL_FAIL: readonly (readonly [kind: FailureKind, statuses: string])[] = [
  ['unauthorized', 'fnnnn'],
  ['forbidden', 'fnnnn'],
  ['sandbox-not-found', 'fnnnn'],
  ['disk-full', 'fnnnn'],
  ['unreachable', 'fnnnn'],
  ['cancelled', 'fnnnn'],
  ['busy', 'fffnn'],
  ['server', 'fffnn'],
  ['connection', 'fffnn'],
  ['not-found', 'fffff'],
  ['no-such-file', 'fffff'],
  ['rejected', 'fffff'],
  ['too-large', 'fffff'],
  ['bad-response', 'fffff'],
  ['file-changed', 'fffff'],
  ['not-written', 'fffff'],
];
for (const [kind, expected] of ALL_FAIL) {
  test(`a transfer of which every request fails stops at once, after three, or never [${kind}]`, async () => {
    const sent = expected.replaceAll('n', '').length;
    const failure = new AgentError(kind, 'It failed.');
    const retries = 2;
    const { results, statuses, requests } = await simulate(plannedFiles(5), () => failure, {
      retries,
    });
    assert.equal(statuses, expected);
    const attempts = failure.isRetryable ? 1 + retries : 1;
    assert.equal(requests.length, attempts * sent);
    if (expected !== 'fffff')
      assert.equal(reasonOf(results[4]), 'the transfer had ended: It failed.');
  });
}

test('a transfer goes on if a request succeeds between failures', async () => {
  const mixed = failing({ f0: SERVER, f1: SERVER, f3: SERVER, f4: SERVER });
  assert.equal((await simulate(plannedFiles(6), mixed)).statuses, 'ffuffu');
});

test('a cancelled job leaves the remaining files unattempted', async () => {
  const controller = new AbortController();
  const { results, statuses } = await simulate(
    plannedFiles(4),
    ({ name }) => {
      if (name !== 'f1') return undefined;
      controller.abort('the job was cancelled');
      return new AgentError('cancelled', 'It was cancelled.');
    },
    { cancel: controller.signal, retries: 4 },
  );
  assert.deepEqual([statuses, reasonOf(results[3])], ['ufnn', 'the job was cancelled']);
});

/** By the error of the first batch of six files: the statuses, and the number of requests. */
const FAILED_BATCHES = [
  [SERVER, 'fffuuu', 3],
  [REJECTED, 'fffuuu', 2],
  [BAD, 'fffuuu', 2],
  [DENIED, 'fffnnn', 1],
] as const;
for (const [error, statuses, count] of FAILED_BATCHES) {
  test(`each file of a batch fails with its batch, and only a fatal error ends the transfer [${error.kind}]`, async () => {
    const failures = failing({ 'f0 f1 f2': error });
    const options = { filesPerRequest: 3, retries: 1 };
    const simulation = await simulate(plannedFiles(6), failures, options);
    assert.deepEqual([simulation.statuses, simulation.requests.length], [statuses, count]);
    const errors = simulation.results.slice(0, 3).map(errorOf);
    assert.deepEqual(errors, Array(3).fill(failureInfoOf(error)));
  });
}

for (const most of [8, 4, 2])
  test(`a sandbox that answers 429 above some parallel requests still gets all 2,000 files [${most}]`, async () => {
    for (const takesMs of [20, 1000]) {
      const sandbox = ({ inFlight }: Request) => (inFlight > most ? BUSY : undefined);
      const { statuses, requests, debugLines } = await simulate(plannedFiles(2000), sandbox, {
        concurrency: 24,
        retries: 4,
        takesMs,
        random: Math.random,
      });
      assert.equal(statuses, 'u'.repeat(2000));
      assert.ok(requests.length < 2100, `${requests.length} requests`);
      const limits = debugLines.map(text => Number(/→ (\d+)/.exec(text)?.[1]));
      assert.deepEqual(limits, [12, 6, 3, 1].slice(0, limits.length));
      assert.ok((limits.at(-1) ?? 0) <= most);
    }
  });

test('a short burst of 503 halves the concurrency once', async () => {
  const overloaded = new AgentError('busy', 'It is busy.', { status: 503 });
  const sandbox = ({ at }: Request) => (at === 0 ? overloaded : undefined);
  const options = { concurrency: 24, retries: 4 };
  const { statuses, debugLines } = await simulate(plannedFiles(200), sandbox, options);
  assert.equal(statuses, 'u'.repeat(200));
  assert.deepEqual(debugLines, ['Concurrency: 24 → 12, It is busy.']);
});

test('a transfer gives up if the sandbox answers 429 for ever', async () => {
  const { statuses, requests } = await simulate(plannedFiles(2000), () => BUSY, {
    concurrency: 24,
    retries: 4,
  });
  assert.match(statuses, /^f+n+$/);
  assert.ok(requests.length <= 24 * 5, `${requests.length} requests`);
});

test('files that this run stored at the same path all fail, since only one survives', async () => {
  const planned = ['same', '/home/same', 'x'].map(target => plannedFile(target));
  const { results, statuses } = await simulate(planned, undefined, { storedPath: inHome });
  assert.equal(statuses, 'ffu');
  assert.match(errorOf(results[0]).message, /^same and 1 more were stored at .* \/home\/same:/);
});

test('an unchanged file fails, too, if another is stored at its path', async () => {
  const known = { status: 'unchanged', file: plannedFile('same'), path: '/home/same' } as const;
  const { results, statuses } = await simulate([plannedFile('/home/same')], undefined, {
    storedPath: inHome,
    unchanged: [known],
  });
  assert.equal(statuses, 'ff');
  assert.ok(results[1]?.status === 'failed');
  assert.deepEqual([results[1].file, results[1].attempts], [known.file, 0]);
});

function inHome(target: string): string {
  return posix.resolve('/home', target);
}
