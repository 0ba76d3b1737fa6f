import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { answerAll, file, files, start, statuses } from './transferring.ts';

const BUSY = new AgentError('busy', 'It is busy.', { status: 429 });
const REFUSED = new AgentError('unauthorized', 'The token is wrong.', { status: 401 });
const BAD = new AgentError('bad-answer', 'It stored one of them.');

describe('as many uploads are in flight as may be', () => {
  for (const concurrency of [1, 3, 10]) {
    test(`${concurrency} where that is given`, async () => {
      const run = start(files(20), { concurrency });
      for (let done = 0; done < 20; done += 1) {
        await run.idle();
        assert.equal(run.inFlight.size, Math.min(concurrency, 20 - done));
        const [next = ''] = run.inFlight;
        run.answer(next);
      }
      assert.equal(statuses(await run.results), 'u'.repeat(20));
    });
  }

  test('more once they turn out to be fast, fewer after a sign of overload', async () => {
    let now = 0;
    const run = start(files(100), { concurrency: 'auto', clock: () => now });
    const seen: number[] = [];
    for (const error of [undefined, undefined, BUSY, undefined]) {
      await run.idle();
      seen.push(run.inFlight.size);
      now += 100;
      for (const request of run.inFlight) run.answer(request, error);
    }
    await run.idle();
    assert.deepEqual([...seen, run.inFlight.size], [8, 16, 24, 12, 13]);
    assert.equal(statuses(await answerAll(run, () => undefined)).match(/f/g)?.length, 24);
  });

  for (const last of [0, 1, 2, 3, 4]) {
    test(`and none is forgotten that began later, be it the last to end (${last})`, async () => {
      const run = start(files(13), { concurrency: 'auto' });
      await run.idle();
      for (const request of run.inFlight) run.answer(request);
      await run.idle();
      const inFlight = [...run.inFlight];
      assert.equal(inFlight.length, 5);
      const [latest = ''] = inFlight.splice(last, 1);
      for (const request of inFlight) run.answer(request);
      await run.idle();
      run.answer(latest);
      assert.equal(statuses(await run.results), 'u'.repeat(13));
    });
  }

  const large = Array.from({ length: 6 }, (_, index) => ({ ...file(`L${index}`), size: 2 ** 20 - index }));

  test('of large files half as many as long as there are small ones', async () => {
    const run = start([...files(6), ...large], { concurrency: 4 });
    const seen: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      await run.idle();
      seen.push([...run.inFlight].sort().join(' '));
      for (const request of run.inFlight) if (turn > 2 || request.startsWith('f')) run.answer(request);
    }
    const small = ['L0 L1 f0 f1', 'L0 L1 f2 f3', 'L0 L1 f4 f5'];
    assert.deepEqual(seen, [...small, 'L0 L1 L2 L3', 'L4 L5', '']);
    assert.equal(statuses(await run.results), 'u'.repeat(12));
  });

  test('of large files more once more are in flight', async () => {
    const run = start([...files(50), ...large], { concurrency: 'auto' });
    const seen: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await run.idle();
      seen.push([...run.inFlight].filter(request => request.startsWith('L')).length);
      for (const request of run.inFlight) if (request.startsWith('f')) run.answer(request);
    }
    assert.deepEqual(seen, [4, 4, 6, 6]);
    assert.equal(statuses(await answerAll(run, () => undefined)), 'u'.repeat(56));
  });
});

test('results stand in plan order, and say what became of each file', async () => {
  const times = [1000, 1000, 1250.4, 1300];
  const run = start(files(2), { concurrency: 2, clock: () => times.shift() ?? 1300 });
  await run.idle();
  run.answer('f1');
  await run.idle();
  run.answer('f0', BAD);
  const [first, second] = files(2);
  const results = await run.results;
  assert.deepEqual(results, [
    { status: 'failed', file: first, attempts: 1, durationMs: 300, error: BAD },
    { status: 'uploaded', file: second, attempts: 1, durationMs: 250, path: '/home/f1', size: 3 },
  ]);
  const settled = run.events.flatMap(event => (event.kind === 'settled' ? [event.result] : []));
  assert.deepEqual(settled, results.toReversed());
  const sent = run.events.flatMap(event => (event.kind === 'sent' ? [event.bytes] : []));
  assert.deepEqual(sent, [3]);
});

test('no file is lost among thousands that end in every way', async () => {
  const planned = files(2000);
  const run = start(planned, { concurrency: 10, filesPerRequest: 3 });
  const results = await answerAll(run, request => {
    if (request.includes('f1500')) return REFUSED;
    return request.includes('7') ? new AgentError('rejected', 'No.') : undefined;
  });
  const seen = results.map(each => each.file);
  assert.deepEqual(seen, planned);
  assert.equal(new Set(results.map(({ status }) => status)).size, 3);
  assert.deepEqual(await start([]).results, []);
});

describe('a failure after which nothing can succeed', () => {
  test('ends the transfer: what is in flight comes to its end, the rest is not attempted', async () => {
    const run = start(files(5), { concurrency: 3 });
    await run.idle();
    run.answer('f1', REFUSED);
    await run.idle();
    assert.deepEqual([...run.inFlight], ['f0', 'f2']);
    run.answer('f0');
    run.answer('f2');
    const results = await run.results;
    assert.equal(statuses(results), 'ufunn');
    const reason = 'the transfer had ended: The token is wrong.';
    assert.deepEqual(results[4], { status: 'not-attempted', file: file('f4'), reason });
  });

  test('keeps what waits for its next attempt from it', async () => {
    const sleep = (_ms: number, stop: AbortSignal) =>
      new Promise<boolean>(resolve => {
        stop.addEventListener('abort', () => resolve(false), { once: true });
      });
    const run = start(files(2), { concurrency: 2, retries: 4, sleep });
    await run.idle();
    run.answer('f0', BUSY);
    await run.idle();
    run.answer('f1', REFUSED);
    const [waiting, ended] = await run.results;
    assert.ok(waiting?.status === 'failed' && ended?.status === 'failed');
    assert.deepEqual([waiting.error, waiting.attempts, run.started.length], [BUSY, 1, 2]);
  });

  test('where it may pass, has its attempts first', async () => {
    const run = start(files(3), { retries: 2 });
    const results = await answerAll(run, () => new AgentError('unreachable', 'Nobody is there.'));
    assert.equal(statuses(results), 'fnn');
    assert.deepEqual(run.started, ['f0', 'f0', 'f0']);
  });
});

describe('cancelling', () => {
  test('lets nothing new start', async () => {
    const run = start(files(3));
    await run.idle();
    run.cancel();
    run.answer('f0', new AgentError('cancelled', 'It was cancelled.'));
    const results = await run.results;
    assert.equal(statuses(results), 'fnn');
    assert.deepEqual(results[2], { status: 'not-attempted', file: file('f2'), reason: 'the job was cancelled' });
  });

  test('before the start leaves every file a result, shared or not', async () => {
    for (const filesPerRequest of [1, 3]) {
      const run = start(files(6), { cancel: AbortSignal.abort(), filesPerRequest });
      assert.equal(statuses(await run.results), 'nnnnnn');
      assert.deepEqual(run.started, []);
    }
  });

  test('leaves files that shared a failed request as tried, before they went alone', async () => {
    const run = start(files(6), { filesPerRequest: 3 });
    await run.idle();
    run.cancel();
    run.answer('f0 f1', BAD);
    const results = await run.results;
    assert.equal(statuses(results), 'ffnnnn');
    assert.deepEqual(results[0], { status: 'failed', file: file('f0'), attempts: 1, durationMs: 0, error: BAD });
  });
});

describe('files that share requests', () => {
  test('go alone for ever after the agent did not take them together', async () => {
    const run = start(files(6), { filesPerRequest: 3 });
    const results = await answerAll(run, request => (request.includes(' ') ? BAD : undefined));
    assert.equal(statuses(results), 'uuuuuu');
    assert.deepEqual(run.started, ['f0 f1', 'f0', 'f1', 'f2', 'f3', 'f4', 'f5']);
    const refused = run.events.flatMap(event => (event.kind === 'refused' ? [event.files.length] : []));
    assert.deepEqual(refused, [2]);
  });

  test('end the transfer together where nothing can succeed', async () => {
    const run = start(files(6), { filesPerRequest: 3 });
    assert.equal(statuses(await answerAll(run, () => REFUSED)), 'ffnnnn');
    assert.deepEqual(run.started, ['f0 f1']);
  });

  test('count as tried where another failure ends the transfer before they went alone', async () => {
    const run = start(files(6), { filesPerRequest: 3 });
    const outcome = (request: string) => (request.includes(' ') ? BAD : REFUSED);
    assert.equal(statuses(await answerAll(run, outcome)), 'ffnnnn');
  });
});

for (const filesPerRequest of [1, 3]) {
  test(`a bug passes through once what is in flight has settled, ${filesPerRequest} a request`, async () => {
    const bug = new TypeError('a bug');
    const run = start(files(20), { concurrency: 3, filesPerRequest });
    let isSettled = false;
    const settled = assert.rejects(run.results, bug).then(() => {
      isSettled = true;
    });
    await run.idle();
    if (filesPerRequest > 1) run.answer('f0 f1');
    await run.idle();
    const [one = '', two = '', three = ''] = run.inFlight;
    run.answer(two, bug);
    await run.idle();
    run.answer(one);
    await run.idle();
    assert.equal(isSettled, false);
    run.answer(three);
    await settled;
    assert.equal(run.inFlight.size, 0);
  });
}
