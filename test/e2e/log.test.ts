import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Result } from '../support/result.ts';
import { expectSuccess } from '../support/run-action.ts';
import { manyFiles, openJob, TOKEN } from '../support/test-job.ts';

function debugLog({ lines }: Result): string {
  return lines.filter(line => line.startsWith('::debug::')).join('\n');
}

test('the log masks the token first, folds the list of files, and ends with the verdict', async () => {
  await using job = await openJob({ files: manyFiles(60) });
  const inputs = { target: '/app', 'fail-if': 'mem_used_pct > 90' };
  const result = await expectSuccess(job, inputs);
  const { lines, masked, summary } = result;
  assert.equal(lines[0], `::add-mask::${TOKEN}`);
  assert.deepEqual(masked, [TOKEN]);
  const group = lines.slice(lines.indexOf('::group::Files') + 1, lines.indexOf('::endgroup::'));
  const expected = Object.keys(manyFiles(60)).map(name => `uploaded: ${name} → /app/${name}`);
  assert.deepEqual(new Set(group), new Set(expected));
  assert.match(lines.at(-2) ?? '', /^Uploaded 60 files/);
  const unfolded = lines.join('\n').replace(/^::(group::.*^::endgroup::|debug::.*?)$/gms, '');
  assert.ok(unfolded.trim().split(/\n+/).length <= 8, unfolded);
  // Only look for the action's own debug lines: @actions/glob always writes some.
  assert.doesNotMatch(debugLog(result), /timeout|60 files/);

  assert.match(summary, /^<h3>✅ Uploaded 60 files/);
});

test('the debug log has the plan and the stats, without secrets', async () => {
  await using job = await openJob();
  const inputs = { headers: 'X-Session: hush-hush', timeout: '30s', 'warn-if': 'cpu_count > 9' };
  const log = debugLog(await expectSuccess(job, inputs, { env: { RUNNER_DEBUG: '1' } }));
  for (const part of [/sandbox-sync\/\d/, /1 file/, /12\.5/]) assert.match(log, part);
  assert.ok(!log.includes('hush-hush') && !log.includes(TOKEN));
});
