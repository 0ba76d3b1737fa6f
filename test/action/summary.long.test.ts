import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { checkSummary } from '../faults/sandbox/checks.ts';
import { onWindows } from '../system.ts';
import { longNames, openWorld, runBadly, runWell } from './harness.ts';

const NOT_ON_WINDOWS = { skip: onWindows('such names cannot be there') };

suite('the summary and the outputs', { concurrency: 2 }, () => {
  test(
    'a summary of a plan of 3,000 files with long names shows the first fifty',
    NOT_ON_WINDOWS,
    async () => {
      await using world = await openWorld({ files: longNames(3000, '&\u0001') });
      const { summary, report } = await runWell(world, { 'dry-run': 'true' });
      assert.match(summary, /and 2,950 more; the report file has them all/);
      assert.ok(Buffer.byteLength(summary) < 200_000, `${Buffer.byteLength(summary)} bytes`);
      checkSummary(summary);
      assert.equal(report.files.length, 3000);
    },
  );

  test('the outputs hold uploaded up to 256 KiB', async () => {
    await using world = await openWorld({ files: longNames(550, 'x') });
    const { outputs } = await runWell(world);
    assert.equal(JSON.parse(outputs['uploaded'] ?? '').length, 550);
  });

  test('all outputs together stay below 1 MB as UTF-16', async () => {
    const names = Array.from({ length: 250 }, (_, index) => `metric_${index}`.padEnd(95, 'x'));
    const metrics = {
      pad: 'x'.repeat(90_000),
      ...Object.fromEntries(names.map(name => [name, 1])),
    };
    await using world = await openWorld({ files: longNames(550, 'x'), metrics: () => metrics });
    const result = await runBadly(world, {
      'fail-if': names.map(name => `${name} > 0`).join('\n'),
    });
    const { uploaded, ...others } = result.outputs;
    const characters = Object.values(others).reduce((sum, { length }) => sum + length, 0);
    // With the list of files, the outputs would be too long.
    assert.ok(2 * (characters + 240_000) > 900_000, String(characters));
    assert.ok(2 * characters < 900_000, String(characters));
    assert.equal(uploaded, '[]');
    assert.match(
      result.annotations('notice').join(),
      /uploaded is \[\].*the outputs would exceed 900 KB/,
    );
  });

  test('the output uploaded is [], with a notice, where it would exceed 256 KiB', async () => {
    await using world = await openWorld({ files: longNames(700, 'x') });
    const result = await runWell(world);
    assert.equal(result.outputs['uploaded'], '[]');
    assert.match(result.annotations('notice').join(), /uploaded is \[\].*256 KiB.*report/);
    assert.equal(result.outputs['uploaded-count'], '700');
    assert.ok(result.report.files.every(file => file.status === 'uploaded'));
  });
});
