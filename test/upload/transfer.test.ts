import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError, failureOf } from '../../src/agent/failure.ts';
import type { Upload } from '../../src/agent/upload.ts';
import { answerAll, file, files, start, statuses } from './transferring.ts';

const BUSY = new AgentError('busy', 'It is busy.', { status: 429 });
const REFUSED = new AgentError('unauthorized', 'The token is wrong.', { status: 401 });
const REJECTED = new AgentError('rejected', 'It takes one file a request.');
const BAD = new AgentError('bad-answer', 'It stored one of them.', { status: 200 });
const SERVER = new AgentError('server', 'It failed.', { status: 500 });

describe('a transfer', () => {
  for (const concurrency of [1, 3, 10]) {
    test(`has ${concurrency} requests in flight if that is the concurrency`, async () => {
      const run = start(files(20), { concurrency });
      for (let done = 0; done < 20; done += 1) {
        await run.idle();
        assert.equal(run.inFlight.size, Math.min(concurrency, 20 - done));
        const [next = ''] = run.inFlight;
        run.answer(next);
      }
      assert.equal(statuses(await run.transfer), 'u'.repeat(20));
    });
  }

  test('has more requests in flight once they succeed, and fewer after an overload', async () => {
    const run = start(files(100), { concurrency: 'auto' });
    const seen: number[] = [];
    for (const error of [undefined, undefined, BUSY, undefined]) {
      await run.idle();
      seen.push(run.inFlight.size);
      for (const request of run.inFlight) run.answer(request, error);
    }
    await run.idle();
    assert.deepEqual([...seen, run.inFlight.size], [8, 16, 24, 12, 13]);
    assert.equal(statuses(await answerAll(run, () => undefined)).match(/f/g)?.length, 24);
  });
});

test('a transfer has one result for each file, in plan order', async () => {
  let now = 1000;
  const run = start(files(2), { concurrency: 2, clock: () => now });
  await run.idle();
  now = 1250.4;
  run.answer('f1');
  await run.idle();
  now = 1300;
  run.answer('f0', BAD);
  const [first, second] = files(2);
  const { files: results } = await run.transfer;
  assert.deepEqual(results, [
    { status: 'failed', file: first, attempts: 1, durationMs: 300, error: failureOf(BAD) },
    { status: 'uploaded', file: second, attempts: 1, durationMs: 250, path: '/home/f1', size: 3 },
  ]);
  const settled = run.events.flatMap(event => (event.kind === 'settled' ? [event.result] : []));
  assert.deepEqual(settled, results.toReversed());
  const sent = run.events.flatMap(event => (event.kind === 'sent' ? [event.bytes] : []));
  assert.deepEqual(sent, [3]);
});

test('a transfer loses no file among thousands that end in every way', async () => {
  const planned = files(2000);
  const run = start(planned, { concurrency: 10, filesPerRequest: 3 });
  const { files: results } = await answerAll(run, request => {
    if (request.includes('f1500')) return REFUSED;
    return request.includes('7') ? REJECTED : undefined;
  });
  const seen = results.map(each => each.file);
  assert.deepEqual(seen, planned);
  assert.equal(new Set(results.map(({ status }) => status)).size, 3);
  assert.deepEqual((await start([]).transfer).files, []);
});

describe('a fatal failure', () => {
  test('ends the transfer: requests in flight end, the rest is not attempted', async () => {
    const run = start(files(5), { concurrency: 3 });
    await run.idle();
    run.answer('f1', REFUSED);
    await run.idle();
    assert.deepEqual([...run.inFlight], ['f0', 'f2']);
    run.answer('f0');
    run.answer('f2');
    const ended = await run.transfer;
    assert.equal(statuses(ended), 'ufunn');
    const reason = 'the transfer had ended: The token is wrong.';
    assert.deepEqual(ended.files[4], { status: 'not-attempted', file: file('f4'), reason });
  });

  test('ends the wait for another attempt', async () => {
    const sleep = (_ms: number, stop: AbortSignal) =>
      new Promise<boolean>(resolve => {
        stop.addEventListener('abort', () => resolve(false), { once: true });
      });
    const run = start(files(2), { concurrency: 2, retries: 4, sleep });
    await run.idle();
    run.answer('f0', BUSY);
    await run.idle();
    run.answer('f1', REFUSED);
    const { files: results } = await run.transfer;
    const kinds = results.map(each => (each.status === 'failed' ? each.error.kind : ''));
    assert.deepEqual([kinds, run.started.length], [['busy', 'unauthorized'], 2]);
  });

  test('that may pass is retried first', async () => {
    const run = start(files(3), { retries: 2 });
    const ended = await answerAll(run, () => new AgentError('unreachable', 'Nobody is there.'));
    assert.equal(statuses(ended), 'fnn');
    assert.deepEqual(run.started, ['f0', 'f0', 'f0']);
  });

  test('of a batch ends the transfer for all its files', async () => {
    const run = start(files(6), { filesPerRequest: 3 });
    assert.equal(statuses(await answerAll(run, () => REFUSED)), 'fffnnn');
    assert.deepEqual(run.started, ['f0 f1 f2']);
  });
});

describe('cancelling a transfer', () => {
  test('starts nothing new', async () => {
    const run = start(files(3));
    await run.idle();
    run.cancel();
    run.answer('f0', new AgentError('cancelled', 'It was cancelled.'));
    const ended = await run.transfer;
    assert.equal(statuses(ended), 'fnn');
    const reason = 'the job was cancelled';
    assert.deepEqual(ended.files[2], { status: 'not-attempted', file: file('f2'), reason });
  });

  test('before its start gives every file a result', async () => {
    for (const filesPerRequest of [1, 3]) {
      const run = start(files(6), { cancel: AbortSignal.abort(), filesPerRequest });
      assert.equal(statuses(await run.transfer), 'nnnnnn');
      assert.deepEqual(run.started, []);
    }
  });

  test('leaves the files of a failed batch failed if they were not sent alone', async () => {
    const run = start(files(6), { filesPerRequest: 3 });
    await run.idle();
    run.cancel();
    run.answer('f0 f1 f2', REJECTED);
    const ended = await run.transfer;
    assert.equal(statuses(ended), 'fffnnn');
    const settled = run.events.filter(event => event.kind === 'settled');
    assert.equal(settled.length, 3);
  });
});

describe('a batch that the agent refuses', () => {
  test('goes file by file, and ends batching', async () => {
    const run = start(files(6), { filesPerRequest: 3, concurrency: 1 });
    const ended = await answerAll(run, request => (request.includes(' ') ? REJECTED : undefined));
    assert.equal(statuses(ended), 'uuuuuu');
    assert.deepEqual(run.started.toSorted(), ['f0', 'f0 f1 f2', 'f1', 'f2', 'f3', 'f4', 'f5']);
    const refused = run.events.filter(event => event.kind === 'batch-refused');
    assert.equal(refused.length, 1);
  });

  test('leaves its files failed if a fatal failure ends the transfer before they went alone', async () => {
    const run = start(files(6), { filesPerRequest: 3 });
    const outcome = (request: string) => (request.includes(' ') ? REJECTED : REFUSED);
    assert.equal(statuses(await answerAll(run, outcome)), 'fffnnn');
  });

  for (const [retries, most] of [
    [0, 2],
    [1, 4],
    [2, 6],
    [4, 10],
  ] as const) {
    test(`sends two files that always fail at most ${most} times with retries: ${retries}`, async () => {
      const run = start(files(2), { filesPerRequest: 2, retries });
      assert.equal(statuses(await answerAll(run, () => SERVER)), 'ff');
      assert.ok(run.started.length <= most, run.started.join(', '));
    });
  }
});

describe('a file of a batch that can no longer be read', () => {
  test('goes alone, and batching goes on', async () => {
    const requests: string[] = [];
    const run = start(files(4), {
      filesPerRequest: 2,
      upload: async sent => {
        requests.push(sent.map(({ target }) => target).join(' '));
        const read = sent.filter(({ target }) => sent.length === 1 || target !== 'f0');
        return new Map(read.map(each => [each, { path: `/home/${each.target}`, size: each.size }]));
      },
    });
    assert.equal(statuses(await run.transfer), 'uuuu');
    assert.deepEqual(requests.toSorted(), ['f0', 'f0 f1', 'f2 f3']);
  });
});

describe('a batch with a wrong acknowledgement', () => {
  test('sends everything that has arrived again, each file alone', async () => {
    const large = file('large', 300 * 1024);
    const run = start([large, ...files(4)], { filesPerRequest: 2, concurrency: 2 });
    await run.idle();
    run.answer('large');
    await run.idle();
    run.answer('f0 f1');
    await run.idle();
    run.answer('f2 f3', BAD);
    const ended = await answerAll(run, () => undefined);
    assert.equal(statuses(ended), 'uuuuu');
    assert.equal(ended.isMisplaced, true);
    const again = run.started.slice(3).toSorted();
    assert.deepEqual(again, ['f0', 'f1', 'f2', 'f3', 'large']);
  });

  test('sends what a state knows again', async () => {
    const known = file('known');
    const unchanged = new Map([[known, { path: '/home/known', sha256: '' }]]);
    const run = start([known, ...files(2)], { filesPerRequest: 2, unchanged });
    const ended = await answerAll(run, request => (request.includes(' ') ? BAD : undefined));
    assert.equal(statuses(ended), 'uuu');
    assert.ok(run.started.includes('known'));
  });

  test('leaves nothing counted that was not sent again', async () => {
    const run = start(files(4), { filesPerRequest: 2, concurrency: 1 });
    await run.idle();
    run.answer('f0 f1');
    await run.idle();
    run.answer('f2 f3', BAD);
    run.cancel();
    assert.equal(statuses(await run.transfer), 'nnff');
  });
});

describe('files at one place', () => {
  test('fail, since all but one of them are lost', async () => {
    const upload: Upload = async sent =>
      new Map(sent.map(each => [each, { path: '/home/same', size: 3 }]));
    const ended = await start(files(2), { upload }).transfer;
    assert.equal(statuses(ended), 'ff');
  });
});

for (const filesPerRequest of [1, 3]) {
  test(`a bug passes through once every request has ended, ${filesPerRequest} files a request`, async () => {
    const bug = new TypeError('a bug');
    const run = start(files(20), { concurrency: 3, filesPerRequest });
    let isSettled = false;
    const settled = assert.rejects(run.transfer, bug).then(() => {
      isSettled = true;
    });
    await run.idle();
    const [one = '', two = '', three = ''] = run.inFlight;
    run.answer(two, bug);
    await run.idle();
    run.answer(one);
    await run.idle();
    assert.equal(isSettled, false);
    run.answer(three);
    await settled;
    assert.equal(run.started.length, 3);
  });
}

test('a bug in a file of a refused batch passes through once every request has ended', async () => {
  const bug = new TypeError('a bug');
  const run = start(files(2), { concurrency: 2, filesPerRequest: 2, retries: 1 });
  let isSettled = false;
  const settled = assert.rejects(run.transfer, bug).then(() => {
    isSettled = true;
  });
  await run.idle();
  run.answer('f0 f1', SERVER);
  await run.idle();
  run.answer('f0', bug);
  await run.idle();
  assert.equal(isSettled, false);
  run.answer('f1');
  await settled;
});

test('an overload does not end batching', async () => {
  for (const error of [BUSY, new AgentError('server', 'It is full.', { status: 503 })]) {
    const run = start(files(6), { filesPerRequest: 2 });
    const ended = await answerAll(run, request => (request === 'f0 f1' ? error : undefined));
    assert.deepEqual(run.started, ['f0 f1', 'f2 f3', 'f4 f5']);
    assert.equal(statuses(ended), 'ffuuuu');
  }
});

test('another answer to a batch ends batching, also if the agent says that it is busy', async () => {
  const conflict = new AgentError('busy', 'It changes state.', { status: 409 });
  const run = start(files(4), { filesPerRequest: 2, retries: 1 });
  await answerAll(run, request => (request === 'f0 f1' ? conflict : undefined));
  const [first, ...others] = run.started;
  assert.equal(first, 'f0 f1');
  assert.deepEqual(others.toSorted(), ['f0', 'f1', 'f2', 'f3']);
});

test('a retry waits out a pause that another request was asked for meanwhile', async () => {
  let now = 0;
  const sleeps: { readonly ms: number; readonly wake: () => void }[] = [];
  const sleep = (ms: number) =>
    new Promise<boolean>(resolve => {
      sleeps.push({ ms, wake: () => resolve(true) });
    });
  const run = start(files(3), { concurrency: 3, retries: 1, clock: () => now, sleep });
  await run.idle();
  run.answer('f0', new AgentError('busy', 'Later.', { status: 429, retryAfterMs: 2000 }));
  await run.idle();
  now = 1000;
  run.answer('f1', new AgentError('busy', 'Much later.', { status: 429, retryAfterMs: 30_000 }));
  await run.idle();
  run.answer('f2', SERVER);
  await run.idle();
  const delays = run.events.flatMap(event => (event.kind === 'retry' ? [event.retry.delayMs] : []));
  assert.deepEqual(delays, [2000, 30_000, 30_000]);
  now = 2000;
  sleeps[0]?.wake();
  await run.idle();
  assert.deepEqual([...run.inFlight], []);
  assert.deepEqual(
    sleeps.map(({ ms }) => ms),
    [2000, 30_000, 250, 29_000],
  );
  now = 31_000;
  for (const { wake } of sleeps) wake();
  await run.idle();
  assert.deepEqual([...run.inFlight].toSorted(), ['f0', 'f1', 'f2']);
  for (const request of run.inFlight) run.answer(request);
  assert.equal(statuses(await run.transfer), 'uuu');
});

test('a pause that is just over is not slept', async () => {
  let now = 0;
  const slept: number[] = [];
  const sleep = async (ms: number) => slept.push(ms) > 0;
  const clock = () => {
    now += 1;
    return now;
  };
  for (const retryAfterMs of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const run = start(files(3), { retries: 1, clock, sleep });
    let isFirst = true;
    await answerAll(run, () => {
      const error = new AgentError('busy', 'Later.', { status: 429, retryAfterMs });
      const outcome = isFirst ? error : undefined;
      isFirst = false;
      return outcome;
    });
  }
  assert.ok(
    slept.every(ms => ms > 0),
    slept.join(', '),
  );
});
