import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusFault } from './agent-answers.ts';
import type { FaultAction } from './faults.ts';
import { expectFailure, expectSuccess, REFUSING_URL } from './run-action.ts';
import { manyFiles, openJob, openJobWithFault, openJobWithFaultPerFile } from './test-job.ts';

test('retries a 429 no earlier than Retry-After, and logs the failed attempt', async () => {
  const busy = statusFault(429, '{"message":"not now"}', { headers: { 'Retry-After': '1' } });
  await using job = await openJobWithFault(busy, { times: 1 });
  const arrivals: number[] = [];
  const onRequest = () => void arrivals.push(performance.now());
  const { stdout } = await expectSuccess(job, {}, { task: 'upload', onRequest });
  assert.match(stdout, /^Attempt 1 for a\.txt failed, .*POST .*\/files answered 429.*not now/m);
  const [first = 0, second = 0, ...others] = arrivals;
  assert.ok(second - first >= 1000, `${second - first} ms`);
  assert.deepEqual(others, []);
});

test('retries a stalled upload after timeout, as often as retries allows', async () => {
  const stalls: Readonly<Record<string, FaultAction>> = {
    reading: { kind: 'stall', at: 'reading' },
    answering: { kind: 'stall', at: 'answering' },
  };
  await using job = await openJobWithFaultPerFile(stalls);
  const result = await expectFailure(job, { timeout: '300ms', retries: '1' }, { task: 'upload' });
  for (const name of Object.keys(stalls)) {
    assert.deepEqual([result.file(name).status, result.file(name).attempts], ['failed', 2]);
    assert.match(result.file(name).error?.message ?? '', /timeout/i);
  }
});

test('an unreachable host is retried, then the error suggests checking base-url', async () => {
  await using job = await openJob({ files: manyFiles(20) });
  const inputs = { 'base-url': REFUSING_URL, concurrency: '1', retries: '1' };
  const { errors, report } = await expectFailure(job, inputs);
  assert.match(errors, /ECONNREFUSED|refused/);
  assert.match(errors, /base-url/);
  const [first] = report.files;
  assert.deepEqual([first?.attempts, first?.error?.kind], [2, 'unreachable']);
  assert.ok((report.totals['failed'] ?? 0) <= 3);
  assert.equal(report.files.at(-1)?.status, 'not-attempted');
});
