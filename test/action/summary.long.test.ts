import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { checkSummary } from '../faults/sandbox/checks.ts';
import { onWindows } from '../system.ts';
import { longNames, openWorld, runWell } from './harness.ts';

const NOT_ON_WINDOWS = { skip: onWindows('such names cannot be there') };

suite('the summary and the outputs', { concurrency: 2 }, () => {
  test('a summary of 3,000 files with long names has their folders, and the ten largest', NOT_ON_WINDOWS, async () => {
    await using world = await openWorld({ files: longNames(3000, '&\u0001') });
    const { summary, report } = await runWell(world, { 'dry-run': 'true' });
    assert.match(summary, /3,000 files: folders, largest, slowest/);
    assert.ok(Buffer.byteLength(summary) < 50_000, `${Buffer.byteLength(summary)} bytes`);
    checkSummary(summary);
    assert.equal(report.files.length, 3000);
  });

  test('the outputs hold uploaded up to 256 KiB', async () => {
    await using world = await openWorld({ files: longNames(550, 'x') });
    const { outputs } = await runWell(world);
    assert.equal(JSON.parse(outputs['uploaded'] ?? '').length, 550);
  });

  test('the outputs leave uploaded empty, with a notice, where it would exceed 256 KiB', async () => {
    await using world = await openWorld({ files: longNames(700, 'x') });
    const result = await runWell(world);
    assert.equal(result.outputs['uploaded'], '');
    assert.match(result.annotations('notice').join(), /uploaded is empty.*256 KiB.*report/);
    assert.equal(result.outputs['uploaded-count'], '700');
    assert.ok(result.report.files.every(file => file.status === 'uploaded'));
  });
});
