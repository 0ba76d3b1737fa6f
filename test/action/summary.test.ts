import assert from 'node:assert/strict';
import path from 'node:path';
import { suite, test } from 'node:test';
import { openWorld, runBadly, runWell } from './harness.ts';

/** Names that Markdown or a browser would act on. */
const NAMES = [
  '<img src=x onerror=alert(1)>',
  '`code` **bold** _it_ ~~no~~',
  'pipes | a | b',
  '[link](https:||example.com)',
  '@someone #1 :rocket: &amp; &lt;',
  '\n\n# heading\n\n- item',
  '<!-- comment',
  '"\'onclick=x',
];
const NOT_ON_WINDOWS = { skip: process.platform === 'win32' && 'such names cannot be there' };

const ELEMENTS = /^<\/?(h3|h4|p|ul|li|table|tr|th|td|code|br|details|summary)( align="(left|right)")?>$/;

function assertOnlyOwnMarkup(summary: string): void {
  for (const [tag] of summary.matchAll(/<[^>]*>?/g)) assert.match(tag, ELEMENTS);
  // Within a block of HTML, up to the next empty line, Markdown does not apply.
  for (const block of summary.trim().split('\n\n')) assert.match(block, /^<(h3|h4|p|ul|table|details)>/);
}

const longNames = (count: number, filler: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [String(index).padStart(200, filler), '']));

suite('the summary', { concurrency: 2 }, () => {
  test('has no markup that comes from names, whether they arrive or fail', NOT_ON_WINDOWS, async () => {
    await using world = await openWorld({ files: Object.fromEntries(NAMES.map(name => [name, name])) });
    const good = await runWell(world);
    assertOnlyOwnMarkup(good.summary);
    assert.ok(good.summary.includes('<code>&lt;img src=x onerror=alert(1)&gt;</code>'));
    const body = '{"message":"<script>alert(1)</script>\\n\\n# heading <b>"}';
    world.agent.addFaults({ on: 'any', do: { kind: 'status', status: 400, body } });
    const bad = await runBadly(world);
    assertOnlyOwnMarkup(bad.summary);
    assert.ok(bad.summary.includes('&lt;script&gt;'));
  });

  test('tells of failures with their reasons, and of what was left undone', async () => {
    await using world = await openWorld({
      files: { 'a.txt': 'a', 'b.txt': 'b' },
      faults: [{ on: 'upload', path: 'a.txt', do: { kind: 'status', status: 413 } }],
    });
    const { summary } = await runBadly(world);
    assert.match(summary, /^<h3>❌ 1 of 2 files arrived, 1 failed\./);
    assert.match(summary, /What failed[\s\S]*answered 413[\s\S]*limits the size[\s\S]*a\.txt/);
  });

  test('is not written with summary at false', async () => {
    await using world = await openWorld();
    assert.equal((await runWell(world, { summary: 'false' })).summary, '');
    const bad = await runBadly(world, { summary: 'False', port: 'x' });
    assert.equal(bad.summary, '');
  });

  for (const [what, file] of [
    ['unset', ''],
    ['missing', '/no/such/file'],
    ['a directory', '/'],
  ] as const) {
    test(`is a warning and no failure where its file is ${what}`, async () => {
      await using world = await openWorld();
      const result = await runWell(world, {}, { env: { GITHUB_STEP_SUMMARY: file } });
      assert.match(result.annotations('warning').join(), /summary could not be written/);
      assert.equal(result.outputs['uploaded-count'], '1');
    });
  }

  test(
    'of 20,000 files with names of 200 characters that grow when escaped stays below 1 MiB',
    NOT_ON_WINDOWS,
    async () => {
      await using world = await openWorld({ files: longNames(20_000, '&\u0001') });
      const { summary, report } = await runWell(world, { 'dry-run': 'true' });
      const size = Buffer.byteLength(summary);
      assert.ok(size > 900_000 && size < 1024 * 1024, `${size} bytes`);
      assert.match(summary, /and [\d,]+ more/);
      assertOnlyOwnMarkup(summary);
      assert.equal(report.files.length, 20_000);
    },
  );
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

  test('hold uploaded up to 256 KiB', async () => {
    await using world = await openWorld({ files: longNames(550, 'x') });
    const { outputs } = await runWell(world);
    assert.equal(JSON.parse(outputs['uploaded'] ?? '').length, 550);
  });

  test('fail the step where they cannot be written', async () => {
    await using world = await openWorld();
    const result = await runBadly(world, {}, { env: { GITHUB_OUTPUT: '' } });
    assert.match(result.annotations('error').join(), /outputs could not be written/);
    const elsewhere = await runBadly(
      world,
      {},
      {
        env: { GITHUB_OUTPUT: path.join(world.outside, 'no', 'such') },
      },
    );
    assert.match(elsewhere.annotations('error').join(), /^The step's outputs could not be written: /);
  });

  test('leave report empty, with a warning, where it cannot be written', async () => {
    await using world = await openWorld();
    const result = await runWell(world, {}, { env: { RUNNER_TEMP: '' } });
    assert.equal(result.outputs['report'], '');
    assert.match(result.annotations('warning').join(), /report file could not be written/);
  });
});
