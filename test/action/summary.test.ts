import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { manyFiles, openWorld, runBadly, runWell } from './harness.ts';

suite('the summary', { concurrency: 2 }, () => {
  test('says what failed, why, what to do, and which sandbox it was', async () => {
    await using world = await openWorld({
      files: { 'a.txt': 'a', 'b.txt': 'b' },
      faults: [{ on: 'upload', path: 'a.txt', do: { kind: 'status', status: 413 } }],
    });
    const { summary } = await runBadly(world);
    assert.match(
      summary,
      /^<h3>❌ Sandbox Sync \(<code>sandbox1<\/code>\): Uploaded 1 of 2 files; 1 failed\./,
    );
    assert.match(summary, /What failed[\s\S]*answered 413[\s\S]*limits the size[\s\S]*a\.txt/);
  });

  test('begins with the gate that failed, also where files failed as well', async () => {
    await using world = await openWorld({
      files: { 'a.txt': 'a', 'b.txt': 'b' },
      faults: [{ on: 'upload', path: 'a.txt', do: { kind: 'status', status: 413 } }],
    });
    const { summary, stdout } = await runBadly(world, { 'fail-if': 'mem_used_pct > 20' });
    const [gate, files] = [
      'Memory was at 25 % (limit 20 %), so the gate failed.',
      'Uploaded 1 of 2 files; 1 failed.',
    ];
    const start = `<h3>❌ Sandbox Sync (<code>sandbox1</code>): ${gate}</h3>\n\n<p>${files}</p>\n\n<h4>What failed</h4>`;
    assert.equal(summary.slice(0, start.length), start);
    assert.equal(
      stdout.trimEnd().split('\n').at(-1),
      `::error::${gate.replaceAll('%', '%25')} ${files}`,
    );
  });

  test('tells how the time went, and of what passed, in few lines of a log', async () => {
    await using world = await openWorld({ files: manyFiles(60) });
    const { summary, stdout } = await runWell(world, {
      'fail-if': 'mem_used_pct > 90',
      'wait-until': 'mem_total > 1B',
    });
    assert.match(summary, /<td>Searching<.*>Waiting<.*>Uploading<.*>Sampling</s);
    assert.match(
      summary,
      /<td align="right">✅&nbsp;2\.0&nbsp;GiB&nbsp;\(25\.0&nbsp;%\)<\/td><td>90&nbsp;%</,
    );
    const unfolded = stdout.replace(/^::group::.*^::endgroup::$/ms, '');
    assert.ok(unfolded.trim().split('\n').length <= 20, unfolded);
    assert.match(unfolded, /Uploaded 60 files .* The gate passed\.\n$/);
  });

  test('shows the plan of a dry run, and is not green without a word if there are no files', async () => {
    await using world = await openWorld();
    const dry = await runWell(world, { 'dry-run': 'true', target: '/srv' });
    assert.match(dry.summary, /^<h3>✅ .*Dry run: 1 file .*<\/h3>\n\n<table>\n.*\n.*\/srv\/a\.txt/);
    assert.doesNotMatch(dry.summary, /<details>/);
    const empty = await runWell(world, { files: 'none/*', 'if-no-files-found': 'ignore' });
    assert.match(empty.summary, /^<h3>⚠️ .*There were no files to upload\./);
  });

  test('is not written with summary at false, where inputs are wrong too', async () => {
    await using world = await openWorld();
    const bad = await runBadly(world, { summary: 'False', port: 'x' });
    assert.equal(bad.summary, '');
  });
});
