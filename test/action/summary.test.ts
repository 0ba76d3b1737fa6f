import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { longNames, openWorld, runBadly, runWell } from './harness.ts';

suite('the summary', { concurrency: 2 }, () => {
  test('tells of failures with their reasons, and of what was left undone', async () => {
    await using world = await openWorld({
      files: { 'a.txt': 'a', 'b.txt': 'b' },
      faults: [{ on: 'upload', path: 'a.txt', do: { kind: 'status', status: 413 } }],
    });
    const { summary } = await runBadly(world);
    assert.match(summary, /^<h3>❌ 1 of 2 files arrived, 1 failed\./);
    assert.match(summary, /What failed[\s\S]*answered 413[\s\S]*limits the size[\s\S]*a\.txt/);
  });

  test('is not written with summary at false, where inputs are wrong too', async () => {
    await using world = await openWorld();
    const bad = await runBadly(world, { summary: 'False', port: 'x' });
    assert.equal(bad.summary, '');
  });
});

suite('the outputs', { concurrency: 2 }, () => {
  test('leave uploaded empty, with a notice, where it would exceed 256 KiB', async () => {
    await using world = await openWorld({ files: longNames(700, 'x') });
    const result = await runWell(world);
    assert.equal(result.outputs['uploaded'], '');
    assert.match(result.annotations('notice').join(), /uploaded is empty.*256 KiB.*report/);
    assert.equal(result.outputs['uploaded-count'], '700');
    assert.ok(result.report.files.every(file => file.status === 'uploaded'));
  });
});
