import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess } from '../support/run-action.ts';
import { openJob } from '../support/test-job.ts';

test('a dry run lists files with their targets, and connects to nothing, so it needs no valid proxy', async () => {
  const files = {
    'dist/a/b.js': 'b',
    'dist/a/c.map': 'c',
    'dist/index.html': 'x',
    'README.md': 'y',
  };
  await using job = await openJob({ files });
  const inputs = {
    files: '# the build\ndist/** => www\n!**/c.map',
    target: '/app',
    'base-url': 'https://sandbox.example.com',
    'dry-run': 'true',
    'wait-until': 'cpu_used_pct < 1',
    'fail-if': 'cpu_count > 0',
  };
  const env = { HTTPS_PROXY: 'not a URL' };
  const result = await expectSuccess(job, inputs, { env });
  const { stdout, outputs, report, summary } = result;
  assert.match(stdout, /^.*dist\/a\/b\.js → \/app\/www\/a\/b\.js$/m);
  assert.match(summary, /^<h3>✅ .*Dry run: 2 files \(2 B\) would be uploaded\./);
  assert.deepEqual([outputs['uploaded-count'], outputs['planned-count']], ['0', '2']);
  assert.deepEqual([report.upload.dryRun, outputs['stats'], outputs['gate']], [true, '', 'none']);
  assert.equal(report.upload.digest, '');
});

test('a dry run needs no sandbox', async () => {
  await using job = await openJob({ files: { a: 'x' } });
  const none = { 'sandbox-id': '', token: '', 'base-url': '', 'dry-run': 'true' };
  for (const task of ['upload', 'sync'] as const) {
    const { summary, report } = await expectSuccess(job, none, { task });
    assert.match(summary, /^<h3>✅ Dry run: 1 file \(1 B\) would be uploaded\./);
    assert.deepEqual(report.sandbox, { id: '', baseUrl: '' });
  }
  assert.deepEqual(job.agent.requests, []);
});
