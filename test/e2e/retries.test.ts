import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusFault } from './agent-answers.ts';
import { expectSuccess } from './run-action.ts';
import { openJobWithFault } from './test-job.ts';

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
