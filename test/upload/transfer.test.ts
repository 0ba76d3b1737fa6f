import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import type { FileResult } from '../../src/upload/result.ts';
import { file, files, start } from './transferring.ts';

function statuses(results: readonly FileResult[]): string {
  return results.map(({ status }) => status[0]).join('');
}

test('results stand in plan order, whatever the order of the answers', async () => {
  const run = start(files(4), { concurrency: 4 });
  for (const name of ['f2', 'f0', 'f3', 'f1']) run.answer(name);
  const results = await run.results;
  assert.deepEqual(
    results.map(result => (result.status === 'uploaded' ? result.path : result.status)),
    ['/home/f0', '/home/f1', '/home/f2', '/home/f3'],
  );
});

test('an uploaded file says its attempts, its time, its path and its size', async () => {
  const [planned] = files(1);
  const run = start(files(1), { times: [1000, 1250.4] });
  run.answer('f0');
  assert.deepEqual(await run.results, [
    { status: 'uploaded', file: planned, attempts: 1, durationMs: 250, path: '/home/f0', size: 3 },
  ]);
});

describe('concurrency', () => {
  for (const concurrency of [1, 3, 10]) {
    test(`${concurrency} uploads are in flight, and never more`, async () => {
      const run = start(files(20), { concurrency });
      for (let done = 0; done < 20; done += 1) {
        await run.idle();
        assert.equal(run.inFlight.size, Math.min(concurrency, 20 - done));
        const [next = ''] = run.inFlight.keys();
        run.answer(next);
      }
      assert.equal(statuses(await run.results), 'u'.repeat(20));
      assert.equal(run.most(), concurrency);
    });
  }
});

describe('a failure that concerns one file', () => {
  test('does not keep the others', async () => {
    const error = new AgentError('too-large', 'It is too large.', { status: 413 });
    const run = start(files(3), { concurrency: 1, outcome: name => (name === 'f0' ? error : undefined) });
    const results = await run.results;
    assert.equal(statuses(results), 'fuu');
    const [first] = results;
    assert.deepEqual(first, { status: 'failed', file: file('f0'), attempts: 1, durationMs: 0, error });
  });

  test('is retried, and its attempts are counted', async () => {
    const error = new AgentError('server', 'It failed.', { status: 500 });
    const run = start(files(2), { retries: 2, outcome: name => (name === 'f0' ? error : undefined) });
    const [failed, fine] = await run.results;
    assert.ok(failed?.status === 'failed' && fine?.status === 'uploaded');
    assert.equal(failed.attempts, 3);
    assert.equal(fine.attempts, 1);
    assert.deepEqual(run.started, ['f0', 'f0', 'f0', 'f1']);
    const retries = run.events.flatMap(event => (event.kind === 'retry' ? [event] : []));
    assert.deepEqual(
      retries.map(event => [event.files[0]?.source, event.retry.attempt, event.retry.error]),
      [
        ['f0', 1, error],
        ['f0', 2, error],
      ],
    );
  });

  test('may pass', async () => {
    let attempts = 0;
    const error = new AgentError('busy', 'It is busy.');
    const run = start(files(1), { outcome: () => (++attempts < 3 ? error : undefined) });
    const [result] = await run.results;
    assert.ok(result?.status === 'uploaded');
    assert.equal(result.attempts, 3);
  });
});

describe('a failure after which nothing can succeed', () => {
  const error = new AgentError('unauthorized', 'The token is wrong.', { status: 401 });

  test('ends the transfer: the rest is not attempted', async () => {
    const run = start(files(5), { concurrency: 1, outcome: name => (name === 'f1' ? error : undefined) });
    const results = await run.results;
    assert.equal(statuses(results), 'ufnnn');
    assert.deepEqual(run.started, ['f0', 'f1']);
    assert.deepEqual(results[4], {
      status: 'not-attempted',
      file: file('f4'),
      reason: 'the transfer had ended: The token is wrong.',
    });
  });

  test('lets what is in flight come to its end', async () => {
    const run = start(files(5), { concurrency: 3 });
    await run.idle();
    run.answer('f1', error);
    await run.idle();
    assert.deepEqual([...run.inFlight.keys()], ['f0', 'f2']);
    run.answer('f0');
    run.answer('f2');
    assert.equal(statuses(await run.results), 'ufunn');
  });

  test('keeps what waits for its next attempt from it', async () => {
    const busy = new AgentError('busy', 'It is busy.');
    const run = start(files(2), { concurrency: 2, sleep: 'until stopped' });
    await run.idle();
    run.answer('f0', busy);
    await run.idle();
    run.answer('f1', error);
    const [waiting, ended] = await run.results;
    assert.ok(waiting?.status === 'failed' && ended?.status === 'failed');
    assert.equal(waiting.error, busy);
    assert.equal(waiting.attempts, 1);
    assert.equal(run.started.length, 2);
  });

  test('where it may pass, has its attempts first', async () => {
    const unreachable = new AgentError('unreachable', 'Nobody is there.');
    const run = start(files(3), { concurrency: 1, retries: 2, outcome: () => unreachable });
    assert.equal(statuses(await run.results), 'fnn');
    assert.deepEqual(run.started, ['f0', 'f0', 'f0']);
  });
});

describe('cancelling', () => {
  test('nothing new is started', async () => {
    const run = start(files(3), { concurrency: 1 });
    await run.idle();
    run.cancel();
    run.answer('f0', new AgentError('cancelled', 'It was cancelled.'));
    const results = await run.results;
    assert.equal(statuses(results), 'fnn');
    assert.deepEqual(run.started, ['f0']);
    const [, , last] = results;
    assert.ok(last?.status === 'not-attempted');
    assert.equal(last.reason, 'the job was cancelled');
  });

  test('before the start, nothing is attempted', async () => {
    const run = start(files(2), { cancelled: true });
    assert.equal(statuses(await run.results), 'nn');
    assert.deepEqual(run.started, []);
  });
});

test('a bug passes through, once what is in flight has settled', async () => {
  const bug = new TypeError('a bug');
  const run = start(files(5), { concurrency: 3 });
  await run.idle();
  run.answer('f1', bug);
  await run.idle();
  assert.equal(run.isSettled(), false);
  run.answer('f0');
  await run.idle();
  assert.equal(run.isSettled(), false);
  run.answer('f2');
  await assert.rejects(run.results, bug);
  assert.deepEqual(run.started, ['f0', 'f1', 'f2']);
});
