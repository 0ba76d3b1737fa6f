import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusFault } from './agent-answers.ts';
import { expectFailure, expectSuccess } from './run-action.ts';
import { openJob, openJobWithFault } from './test-job.ts';

test('the job summary names the sandbox and the tripped gate in its title, then each failure with a hint', async () => {
  const files = { 'a.txt': 'a', 'b.txt': 'b' };
  await using job = await openJobWithFault(statusFault(413), { path: 'a.txt' }, { files });
  const { summary, stdout } = await expectFailure(job, { 'fail-if': 'mem_used_pct > 20' });
  assert.match(summary, /^<h3>❌ Sandbox Sync \(<code>sandbox1<\/code>\)[\s\S]*mem_used_pct/);
  assert.match(summary, /1 of 2 files[\s\S]*answered 413[\s\S]*size[\s\S]*a\.txt/);
  assert.match(stdout.trimEnd().split('\n').at(-1) ?? '', /^::error::.*1 of 2/);
});

test('summary: false writes no job summary, not even for invalid inputs', async () => {
  await using job = await openJob();
  assert.equal((await expectFailure(job, { summary: 'False', port: 'x' })).summary, '');
  assert.equal((await expectSuccess(job, { summary: 'false' }, { task: 'stats' })).summary, '');
});
