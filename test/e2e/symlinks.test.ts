import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { WITHOUT_LINKS } from '../system.ts';
import { expectFailure, expectSuccess } from './run-action.ts';
import { openJob, type TestJob } from './test-job.ts';

/** Makes links in the checkout, by relative path. */
function link({ workspace }: TestJob, links: Readonly<Record<string, string>>): void {
  for (const [name, to] of Object.entries(links)) {
    mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
    symlinkSync(to, path.join(workspace, name));
  }
}

describe('symlinks', { skip: WITHOUT_LINKS }, () => {
  test('a symlink to a file is uploaded; broken symlinks and (without follow-symlinks) folder symlinks are skipped', async () => {
    await using job = await openJob({ files: { 'real/a.txt': 'a' } });
    link(job, {
      'web/one': '../real/a.txt',
      'web/broken': 'nowhere',
      'web/up': '.',
    });
    const inputs = { files: 'web/**', 'follow-symlinks': 'false' };
    const { outputs, report, warnings } = await expectSuccess(job, inputs);
    assert.equal(job.readStored('one').toString(), 'a');
    assert.deepEqual([outputs['uploaded-count'], outputs['skipped-count']], ['1', '2']);
    assert.deepEqual(
      new Set(report.skipped.map(({ path: name }) => name)),
      new Set(['web/broken', 'web/up']),
    );
    assert.match(warnings, /web\/broken/);
  });

  test('a symlink to a hidden file is an error that names it, and nothing is sent', async () => {
    await using job = await openJob({ files: { 'dist/a': 'a', '.git/config': 'secret' } });
    link(job, { 'dist/file': '../.git/config' });
    const { errors } = await expectFailure(job, { files: 'dist/**' });
    assert.match(errors, /"dist\/file" to "\.git\/config"/);
    assert.equal(job.agent.connections(), 0);
  });

  test('a symlink that leads out of the workspace is an error that names it, and nothing is sent', async () => {
    await using job = await openJob({ files: { 'dist/a': 'a' } });
    writeFileSync(path.join(job.outside, 'secret'), 'the credential of the runner');
    link(job, { 'dist/file': '../two', two: path.join(job.outside, 'secret') });
    const { errors, allOutput } = await expectFailure(job, { files: 'dist/**' });
    assert.match(errors, /dist\/file.*outside the workspace|outside the workspace.*dist\/file/s);
    assert.ok(!allOutput.includes('the credential'));
    assert.equal(job.agent.connections(), 0);
  });
});
