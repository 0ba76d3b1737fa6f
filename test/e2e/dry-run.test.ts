import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess } from '../support/run-action.ts';
import { openJob } from '../support/test-job.ts';

const FILES = { 'dist/a/b.js': 'b', 'dist/a/c.map': 'c', 'dist/index.html': 'x', 'README.md': 'y' };
const GATED = { 'wait-until': 'cpu_used_pct < 1', 'fail-if': 'cpu_count > 0' };

for (const [task, more] of [
  ['sync', GATED],
  ['upload', {}],
] as const)
  test(`a dry run lists files with their targets, and needs neither sandbox nor valid proxy [${task}]`, async () => {
    await using job = await openJob({ files: FILES });
    const none = { 'sandbox-id': '', token: '', 'base-url': '', 'dry-run': 'true' };
    const files = '# the build\ndist/** => www\n!**/c.map';
    const inputs = { ...none, ...more, files, target: '/app' };
    const env = { HTTPS_PROXY: 'not a URL' };
    const { stdout, outputs, report, summary } = await expectSuccess(job, inputs, { task, env });
    assert.match(stdout, /^.*dist\/a\/b\.js → \/app\/www\/a\/b\.js$/m);
    assert.match(summary, /^<h3>✅ .*Dry run: 2 files \(2 B\) would be uploaded\./);
    assert.deepEqual([outputs['uploaded-count'], outputs['planned-count']], ['0', '2']);
    assert.deepEqual([report.upload.dryRun, report.upload.digest], [true, '']);
    assert.deepEqual(report.sandbox, { id: '', baseUrl: '' });
    if (task === 'sync') assert.deepEqual([outputs['stats'], outputs['gate']], ['', 'none']);
  });
