import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { manyFiles, openFaulty, openWorld, pathOf, type RunOptions, runBadly } from './harness.ts';

/** Sends the signal when the request that `isDue` says has arrived; `elapsed` counts from there. */
function cancelling(signal: NodeJS.Signals, isDue: (path: string) => boolean = () => true) {
  let sentAt: number | undefined;
  const onRequest: RunOptions['onRequest'] = (request, action) => {
    if (sentAt !== undefined || !isDue(pathOf(request))) return;
    sentAt = performance.now();
    action.kill(signal);
  };
  return { onRequest, elapsed: () => performance.now() - (sentAt ?? assert.fail('nothing was sent')) };
}

const skip = process.platform === 'win32' && 'a signal sent by a process ends another at once there';

suite('a job that is cancelled', { concurrency: 2, skip }, () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    for (const at of ['reading', 'answering'] as const) {
      test(`by ${signal} while the agent stalls before ${at} ends at once and says so everywhere`, async () => {
        await using world = await openFaulty({ kind: 'stall', at }, { skip: 5 }, { files: manyFiles(20) });
        const seen: string[] = [];
        const cancel = cancelling(signal, path => seen.push(path) === 7);
        const result = await runBadly(world, { concurrency: '2' }, cancel);
        assert.ok(cancel.elapsed() < 5000, `${cancel.elapsed()} ms`);
        const [error = '', ...others] = result.annotations('error');
        assert.match(error, /^Cancelled: 5 of 20 files arrived/);
        assert.deepEqual(others, []);
        assert.match(result.summary, /^<h3>⛔ Cancelled: 5 of 20 files arrived/);
        const { cancelled, succeeded, totals } = result.report;
        assert.deepEqual([cancelled, succeeded], [true, false]);
        assert.deepEqual([totals['uploaded'], totals['failed'], totals['notAttempted']], [5, 2, 13]);
        assert.deepEqual([result.outputs['uploaded-count'], result.outputs['failed-count']], ['5', '2']);
      });
    }
  }

  test('between two attempts does not wait for the next', async () => {
    const busy = { kind: 'status', status: 503, headers: { 'Retry-After': '60' } } as const;
    await using world = await openWorld({
      files: { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' },
      faults: [
        { on: 'upload', path: 'a.txt', do: busy },
        { on: 'upload', path: 'b.txt', do: { kind: 'delay', ms: 100 } },
        { on: 'upload', path: 'c.txt', do: { kind: 'stall', at: 'answering' } },
      ],
    });
    let answered = 0;
    const cancel = cancelling('SIGINT', () => ++answered === 3);
    const result = await runBadly(world, { concurrency: '2' }, cancel);
    assert.ok(cancel.elapsed() < 5000, `${cancel.elapsed()} ms`);
    assert.match(result.stdout, /^Attempt 1 for a\.txt failed, next in 1 min/m);
    assert.deepEqual([result.file('a.txt').status, result.file('b.txt').status], ['failed', 'uploaded']);
  });

  test('while the stats stall keeps what arrived', async () => {
    await using world = await openWorld({
      faults: [{ on: 'stats', do: { kind: 'stall', at: 'answering' } }],
    });
    const result = await runBadly(
      world,
      {},
      {
        onRequest: ({ method }, action) => void (method === 'GET' && action.kill('SIGINT')),
      },
    );
    assert.equal(result.outputs['uploaded-count'], '1');
    assert.equal(result.report.cancelled, true);
  });
});
