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
    assert.deepEqual([...seen, run.inFlight.size], [4, 8, 16, 8, 9]);
    assert.equal(statuses(await answerAll(run, () => undefined)).match(/f/g)?.length, 16);
  });

  for (const last of [0, 1, 2, 3, 4]) {
    test(`and none is forgotten that began later, be it the last to end (${last})`, async () => {
      const run = start(files(9), { concurrency: 'auto' });
      await run.idle();
      for (const request of run.inFlight) run.answer(request);
      await run.idle();
      const inFlight = [...run.inFlight];
      assert.equal(inFlight.length, 5);
      const [latest = ''] = inFlight.splice(last, 1);
      for (const request of inFlight) run.answer(request);
      await run.idle();
      run.answer(latest);
      assert.equal(statuses(await run.results), 'u'.repeat(9));
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
    assert.deepEqual(seen, [2, 2, 4, 4]);
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
  assert.deepEqual(
    run.events.flatMap(event => (event.kind === 'sent' ? [event.bytes] : [])),
    [3],
  );
});

test('no file is lost among thousands that end in every way', async () => {
  const planned = files(2000);
  const run = start(planned, { concurrency: 10, filesPerRequest: 3 });
  const results = await answerAll(run, request => {
    if (request.includes('f1500')) return REFUSED;
    return request.includes('7') ? new AgentError('rejected', 'No.') : undefined;
  });
  assert.deepEqual(
    results.map(each => each.file),
    planned,
  );
  assert.equal(new Set(results.map(({ status }) => status)).size, 3);
  assert.deepEqual(await start([]).results, []);
});
