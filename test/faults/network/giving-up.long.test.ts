import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { manyFiles, openFaulty, runBadly, uploads } from '../../action/harness.ts';

// A minute without an arrival, plus the last attempts.
const LONGEST_MS = 75_000;

suite('a transfer that cannot succeed', { concurrency: 2, timeout: 150_000 }, () => {
  test('is given up a minute after its start, if the agent answers 503 for ever', async () => {
    await using world = await openFaulty(
      { kind: 'status', status: 503, body: 'no capacity' },
      {},
      { files: manyFiles(2000) },
    );
    const start = performance.now();
    const options = { task: 'upload', killAfterMs: 120_000 } as const;
    const { report, outputs, annotations } = await runBadly(world, { retries: '1' }, options);
    const durationMs = performance.now() - start;
    assert.ok(durationMs > 60_000 && durationMs < LONGEST_MS, `${durationMs} ms`);
    const { failed = 0, notAttempted = 0, uploaded } = report.totals;
    assert.deepEqual([uploaded, failed + notAttempted], [0, 2000]);
    assert.ok(notAttempted > 1000, `${notAttempted} files were not attempted`);
    assert.ok(uploads(world).length <= 2 * failed);
    const verdict = report.headline;
    const counts = `Uploaded 0 of 2,000 files; ${format(failed)} failed, ${format(notAttempted)} not attempted.`;
    assert.ok(verdict.startsWith(counts), verdict);
    assert.match(
      verdict,
      /The transfer was given up: nothing has arrived for 1 min.*; the last failure: POST http:\S+\/files answered 503 Service Unavailable\. It said: "no capacity"\./,
    );
    assert.ok(annotations('error').join('\n').includes('The transfer was given up'));
    assert.equal(outputs['uploaded-count'], '0');
    const last = report.files.find(({ status }) => status === 'not-attempted');
    assert.match(last?.reason ?? '', /the transfer was given up/);
  });
});

function format(count: number): string {
  return count.toLocaleString('en-US');
}
