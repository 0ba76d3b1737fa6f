import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError, type FailureKind } from '../../src/agent/failure.ts';
import type { PlannedFile } from '../../src/files/plan.ts';
import type { StoredFile } from '../../src/transfer/store-files.ts';
import type { FileResult, TransferEvent } from '../../src/transfer/transfer.ts';
import { file, files, type Request, simulate } from './simulated.ts';

const BUSY = new AgentError('busy', 'It is busy.', { status: 429 });
const DENIED = new AgentError('unauthorized', 'The token is wrong.', { status: 401 });
const REJECTED = new AgentError('rejected', 'It is refused.', { status: 400 });
const BAD = new AgentError('bad-answer', 'It stored another one.', { status: 200 });
const SERVER = new AgentError('server', 'It failed.', { status: 500 });
const TOO_LARGE = new AgentError('too-large', 'It is too large.', { status: 413 });
const CHANGED = new AgentError('file-changed', 'It has changed.');
const UNREACHABLE = new AgentError('unreachable', 'Nobody is there.');

function errorOf(result: FileResult | undefined) {
  assert.ok(result?.status === 'failed');
  return result.error;
}

function reasonOf(result: FileResult | undefined): string {
  assert.ok(result?.status === 'not-attempted');
  return result.reason;
}

/** Fails the requests for these files. */
function failing(failures: Readonly<Record<string, Error>>) {
  return ({ name }: Request) => failures[name];
}

/** The lines of the debug log, which say how the concurrency changes. */
function changesOf(events: readonly TransferEvent[]): string[] {
  return events.flatMap(event => (event.kind === 'debug' ? [event.text] : []));
}

const names = (requests: readonly Request[]) => requests.map(({ name }) => name);

describe('a transfer', () => {
  test('has one result for each file, in plan order, and tells of each', async () => {
    const planned = files(3);
    const [first, second, third] = planned;
    assert.ok(first && second && third);
    const known = { path: '/home/f1', size: 3, sha256: 'a' };
    const { results, events } = await simulate(planned, failing({ f2: REJECTED }), {
      unchanged: new Map([[second, known]]),
      concurrency: 24,
      retries: 2,
    });
    const { kind, status, message, hint } = REJECTED;
    const sent = { attempts: 1, durationMs: 100 };
    assert.deepEqual(results, [
      { status: 'uploaded', file: first, ...sent, path: '/home/f0', size: 3 },
      { status: 'unchanged', file: second, ...known },
      { status: 'failed', file: third, ...sent, error: { kind, status, message, hint } },
    ]);
    assert.deepEqual(events, [
      { kind: 'sent', bytes: 3 },
      { kind: 'settled', result: results[0] },
      { kind: 'settled', result: results[2] },
    ]);
    assert.deepEqual((await simulate([])).results, []);
  });

  for (const concurrency of [1, 3, 24])
    test(`has at most ${concurrency} requests in flight if that is the concurrency`, async () => {
      const { statuses, requests, tookMs } = await simulate(files(48), undefined, { concurrency });
      assert.equal(statuses, 'u'.repeat(48));
      assert.equal(Math.max(...requests.map(({ inFlight }) => inFlight)), concurrency);
      assert.equal(tookMs, (48 / concurrency) * 100);
    });

  test('repeats what may succeed, and tells of it', async () => {
    const busy = ({ at }: Request) => (at < 1500 ? SERVER : undefined);
    const { results, events, tookMs } = await simulate(files(1), busy, { retries: 4 });
    const [result] = results;
    assert.ok(result?.status === 'uploaded');
    assert.deepEqual([result.attempts, result.durationMs, tookMs], [3, 2550, 2550]);
    const retries = events.flatMap(event => (event.kind === 'retry' ? [event.retry.delayMs] : []));
    assert.deepEqual(retries, [750, 1500]);
  });

  test('ends at a bug, and sends nothing more', async () => {
    const started: string[] = [];
    const bug = ({ name }: Request) => {
      started.push(name);
      return name === 'f1' ? new TypeError('a bug') : undefined;
    };
    await assert.rejects(simulate(files(9), bug, { concurrency: 2 }), TypeError);
    assert.ok(started.length <= 4, started.join());
  });
});

describe('a transfer ends early', () => {
  const FATAL: readonly FailureKind[] = [
    'unauthorized',
    'forbidden',
    'sandbox-not-found',
    'disk-full',
  ];
  for (const kind of FATAL)
    test(`if no other request can succeed either: ${kind}`, async () => {
      const { results, statuses } = await simulate(
        files(5),
        failing({ f1: new AgentError(kind, 'It is so.') }),
        { concurrency: 2, retries: 4 },
      );
      assert.match(statuses, /^uf[un]nn$/);
      assert.equal(reasonOf(results[4]), 'the transfer had ended: It is so.');
    });

  test('if the sandbox stays out of reach', async () => {
    const { statuses, requests } = await simulate(files(3), () => UNREACHABLE, { retries: 2 });
    assert.deepEqual([statuses, names(requests)], ['fnn', ['f0', 'f0', 'f0']]);
  });

  test('after three requests in a row that used up their attempts', async () => {
    const { results, statuses, requests } = await simulate(files(9), () => SERVER, { retries: 1 });
    assert.deepEqual([statuses, requests.length], ['fffnnnnnn', 6]);
    assert.match(reasonOf(results[3]), /3 requests in a row had failed, .*: It failed\.$/);
  });

  test('but not if something arrived in between, or the failures lie in the files', async () => {
    const mixed = failing({ f0: SERVER, f1: SERVER, f3: SERVER, f4: SERVER });
    assert.equal((await simulate(files(6), mixed)).statuses, 'ffuffu');
    for (const error of [REJECTED, TOO_LARGE, CHANGED, BAD])
      assert.equal((await simulate(files(6), () => error)).statuses, 'ffffff', error.kind);
  });

  test('and ends the pauses of those that wait to be repeated', async () => {
    const { statuses, tookMs } = await simulate(
      files(3),
      ({ name, at }) => (name === 'f0' ? SERVER : at >= 100 ? DENIED : undefined),
      { concurrency: 2, retries: 4 },
    );
    assert.deepEqual([statuses, tookMs], ['fuf', 200]);
  });

  test('if the job is cancelled', async () => {
    const controller = new AbortController();
    const { results, statuses } = await simulate(
      files(4),
      ({ name }) => {
        if (name !== 'f1') return undefined;
        controller.abort();
        return new AgentError('cancelled', 'It was cancelled.');
      },
      { cancel: controller.signal, retries: 4 },
    );
    assert.deepEqual([statuses, reasonOf(results[3])], ['ufnn', 'the job was cancelled']);
  });
});

describe('the files of a batch', () => {
  const batched = { filesPerRequest: 3 };

  test('arrive with one request', async () => {
    const { statuses, requests } = await simulate(files(7), undefined, batched);
    assert.deepEqual([statuses, names(requests)], ['uuuuuuu', ['f0 f1 f2', 'f3 f4 f5', 'f6']]);
  });

  test('fail together, and the advice is to send each alone', async () => {
    const { results, statuses, requests } = await simulate(
      files(6),
      failing({ 'f0 f1 f2': SERVER }),
      { ...batched, retries: 1 },
    );
    assert.deepEqual([statuses, requests.length], ['fffuuu', 3]);
    assert.match(errorOf(results[1]).hint, /files-per-request: 1/);
  });

  for (const error of [REJECTED, BAD])
    test(`end the transfer if they may be in other places: ${error.kind}`, async () => {
      const { results, statuses } = await simulate(files(6), failing({ 'f0 f1 f2': error }), {
        ...batched,
        retries: 4,
      });
      assert.equal(statuses, 'fffnnn');
      assert.match(errorOf(results[0]).hint, /files-per-request: 1/);
      assert.equal(reasonOf(results[3]), `the transfer had ended: ${error.message}`);
    });

  test('do not get that advice if it would not help', async () => {
    const { results, statuses } = await simulate(files(6), () => DENIED, batched);
    assert.deepEqual([statuses, errorOf(results[0]).hint], ['fffnnn', DENIED.hint]);
  });

  test('fail alone if they cannot be read', async () => {
    const [one, two, three] = files(3);
    assert.ok(one && two && three);
    const stored = { path: '/home/x', size: 3 };
    const { results, statuses } = await simulate([one, two, three], undefined, {
      ...batched,
      upload: async () =>
        new Map<PlannedFile, StoredFile | AgentError>([
          [two, CHANGED],
          [one, stored],
          [three, { ...stored, path: '/home/y' }],
        ]),
    });
    assert.deepEqual([statuses, errorOf(results[1]).kind], ['ufu', 'file-changed']);
  });
});

describe('an overloaded sandbox', () => {
  for (const most of [8, 4, 2])
    for (const takesMs of [20, 1000])
      test(`that answers 429 above ${most} requests at once gets all of 2,000 files, at ${takesMs} ms each`, async () => {
        const sandbox = ({ inFlight }: Request) => (inFlight > most ? BUSY : undefined);
        const { statuses, requests, events } = await simulate(files(2000), sandbox, {
          concurrency: 24,
          retries: 4,
          takesMs,
          random: Math.random,
        });
        assert.equal(statuses, 'u'.repeat(2000));
        assert.ok(requests.length < 2100, `${requests.length} requests`);
        const limits = changesOf(events).map(text => Number(/→ (\d+)/.exec(text)?.[1]));
        assert.deepEqual(limits, [12, 6, 3, 1].slice(0, limits.length));
        assert.ok((limits.at(-1) ?? 0) <= most);
      });

  test('that answers 503 for a moment halves the concurrency once for all requests then', async () => {
    const overloaded = new AgentError('busy', 'It is busy.', { status: 503 });
    const sandbox = ({ at }: Request) => (at === 0 ? overloaded : undefined);
    const options = { concurrency: 24, retries: 4 };
    const { statuses, events } = await simulate(files(200), sandbox, options);
    assert.equal(statuses, 'u'.repeat(200));
    assert.deepEqual(changesOf(events), ['Concurrency: 24 → 12, It is busy.']);
  });

  test('that answers 429 for ever is left alone after some requests', async () => {
    const { statuses, requests } = await simulate(files(2000), () => BUSY, {
      concurrency: 24,
      retries: 4,
    });
    assert.match(statuses, /^f+n+$/);
    assert.ok(requests.length <= 24 * 5, `${requests.length} requests`);
  });
});

describe('files at one place all fail, since only one of them is there', () => {
  test('if this run stored them there', async () => {
    const { results, statuses } = await simulate(
      [file('same'), file('./same'), file('x')],
      undefined,
      {
        place: target => (target.endsWith('same') ? '/home/same' : '/home/x'),
      },
    );
    assert.equal(statuses, 'ffu');
    assert.match(errorOf(results[0]).message, /^same and 1 more were stored at .* \/home\/same:/);
  });

  test('if one of them was unchanged', async () => {
    const [known, sent] = files(2);
    assert.ok(known && sent);
    const unchanged = new Map([[known, { path: '/home/same', size: 3, sha256: 'a' }]]);
    const { results, statuses } = await simulate([known, sent], undefined, {
      place: () => '/home/same',
      unchanged,
    });
    assert.equal(statuses, 'ff');
    assert.equal(results[0]?.status === 'failed' && results[0].attempts, 0);
  });
});
