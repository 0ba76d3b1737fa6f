import assert from 'node:assert/strict';
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { WINDOWS, WITHOUT_LINKS } from '../system.ts';
import { expectFailure, expectSuccess, uploadPathOf, uploadRequests } from './run-action.ts';
import { type Files, manyFiles, openJob } from './test-job.ts';

const FILES: Files = {
  'dist/a/b.js': 'b',
  'dist/a/c.map': 'c',
  'dist/index.html': 'index',
  'dist/.env': 'e',
  'README.md': 'read',
};

test('a dry run lists files with their targets, and connects to nothing, so it needs no valid proxy', async () => {
  await using job = await openJob({ files: FILES });
  chmodSync(path.join(job.workspace, 'dist/index.html'), 0o755);
  const inputs = {
    files: '# the build\ndist/** => www\n!**/c.map',
    target: '/app',
    'base-url': 'https://sandbox.example.com',
    'dry-run': 'true',
    'wait-until': 'cpu_used_pct < 1',
    'fail-if': 'cpu_count > 0',
  };
  const env = { HTTPS_PROXY: 'not a URL' };
  const { stdout, outputs, report, summary, annotations } = await expectSuccess(job, inputs, {
    env,
  });
  assert.match(stdout, /^.*dist\/a\/b\.js → \/app\/www\/a\/b\.js$/m);
  assert.match(summary, /^<h3>✅ .*Dry run: 2 files \(6 B\) would be uploaded\./);
  assert.deepEqual([outputs['uploaded-count'], outputs['skipped-count']], ['0', '2']);
  assert.deepEqual([report.dryRun, outputs['stats'], outputs['gate']], [true, '', 'none']);
  assert.equal(report.digest, '');
  // Windows has no executable bit.
  if (!WINDOWS) assert.match(annotations('notice').join(), /executable.*dist\/index\.html/);
});

test('a link to a file is uploaded, and one that leads out of the workspace is an error', {
  skip: WITHOUT_LINKS,
}, async () => {
  await using job = await openJob({ files: FILES });
  const link = (name: string, end: string) => symlinkSync(end, path.join(job.workspace, name));
  link('dist/one', '../README.md');
  const inputs = { files: 'dist/**', 'follow-symlinks': 'false' };
  await expectSuccess(job, inputs);
  assert.equal(job.readStored('one').toString(), 'read');
  const before = job.agent.requests.length;
  writeFileSync(path.join(job.outside, 'secret'), 'the credential of the runner');
  link('two', path.join(job.outside, 'secret'));
  link('dist/file', '../two');
  const { errors, allOutput } = await expectFailure(job, inputs);
  assert.match(errors, /links lead outside the workspace\. .* Links: "dist\/file"/);
  assert.ok(!allOutput.includes('the credential'));
  assert.equal(job.agent.requests.length, before);
});

test('shards together send every file once, even if their builds differ in content', async () => {
  const files = { 'large.bin': 'x'.repeat(5000), ...manyFiles(30) };
  await using job = await openJob({ files });
  let sum = 0;
  for (const index of [1, 2, 3]) {
    job.write({ 'large.bin': 'x'.repeat(5000 + index), 'f7.txt': 'y'.repeat(index) });
    const inputs = { shard: `${index}/3` };
    const { stdout, outputs, report, summary } = await expectSuccess(job, inputs);
    assert.match(stdout, RegExp(`shard ${index} of 3: ${outputs['uploaded-count']} of 31 files`));
    for (const text of [report.headline, summary])
      assert.ok(text.includes(`shard ${index} of 3`), text);
    sum += Number(outputs['uploaded-count']);
  }
  assert.equal(sum, 31);
  assert.deepEqual(uploadRequests(job).map(uploadPathOf).toSorted(), Object.keys(files).toSorted());
});
