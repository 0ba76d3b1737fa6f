import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { textOf } from '../report/blocks.ts';
import { manyFiles, openFaulty, openWorld, runBadly, runWell, TOKEN } from './harness.ts';

suite('the log', { concurrency: 2 }, () => {
  test('shows the first of very many failed attempts, and says that there were more', async () => {
    const fault = { on: 'upload', times: 30, do: { kind: 'status', status: 500 } } as const;
    await using world = await openWorld({ files: manyFiles(30), faults: [fault] });
    const { lines } = await runWell(world, { concurrency: '30', retries: '10' });
    assert.equal(lines.filter(line => line.startsWith('Attempt ')).length, 20);
    assert.equal(
      lines.filter(line => line.startsWith('Further failed attempts are not shown')).length,
      1,
    );
  });

  test('begins by masking the token and ends with what came of it', async () => {
    await using world = await openWorld();
    const good = await runWell(world);
    assert.equal(good.lines[0], `::add-mask::${TOKEN}`);
    assert.match(good.lines.at(-2) ?? '', /^Uploaded 1 file \(4 B\) in \d+ ms\.$/);
    assert.equal(good.lines.at(-1), '');
    const bad = await runBadly(world, { token: 'another' });
    assert.match(bad.lines.at(-2) ?? '', /^::error::Uploaded 0 of 1 file; 1 failed\./);
  });

  test('has a line for each file in one folded group', async () => {
    await using world = await openWorld({ files: manyFiles(30) });
    const { lines } = await runWell(world, { target: '/app' });
    const group = lines.slice(lines.indexOf('::group::Files') + 1, lines.indexOf('::endgroup::'));
    const expected = Object.keys(manyFiles(30)).map(name => `uploaded: ${name} → /app/${name}`);
    assert.deepEqual(group.toSorted(), expected.toSorted());
  });

  test('of a large plan has every line', async () => {
    await using world = await openWorld({ files: manyFiles(1500) });
    const planned = await runWell(world, { 'dry-run': 'true' });
    assert.equal(planned.lines.filter(line => line.startsWith('would be uploaded: ')).length, 1500);
  });

  test('of a large run stays short, and shows what failed first', async () => {
    await using world = await openFaulty(
      { kind: 'status', status: 400 },
      { path: 'f1400.txt' },
      { files: manyFiles(1500) },
    );
    const { lines } = await runBadly(world);
    assert.ok(lines.length < 1100, `${lines.length} lines`);
    assert.match(lines.join('\n'), /and 500 more/);
    const first = lines[lines.indexOf('::group::Files') + 1] ?? '';
    assert.match(first, /^failed: f1400\.txt → f1400\.txt \(POST .* 400 /);
  });

  test('of a gate that failed has one error, with the reason', async () => {
    await using world = await openWorld();
    const errors = async (conditions: string) =>
      (await runBadly(world, { 'fail-if': conditions })).annotations('error');
    const [error = '', ...others] = await errors('mem_used_pct > 20');
    assert.deepEqual(others, []);
    assert.match(
      error,
      /^Memory was at 25 % \(limit 20 %\), so the gate failed\. Uploaded 1 file \(4 B\) in \d+ ms\.$/,
    );
    const [several = '', ...more] = await errors('mem_used_pct > 20\nmem_free < 99GiB');
    assert.deepEqual(more, []);
    assert.match(several, /^mem_used_pct > 20: .*\nmem_free < 99GiB: Free memory was at 6 GiB/m);
  });

  test('gives advice for files and stats that failed alike only once, as does the summary', async () => {
    const fault = { on: 'any', do: { kind: 'status', status: 500 } } as const;
    await using world = await openWorld({ faults: [fault] });
    const result = await runBadly(world, { retries: '0' });
    const hint = result.file('a.txt').error?.hint ?? '';
    assert.match(result.stdout, /GET .*\/metrics answered 500/);
    for (const text of [result.annotations('error').join('\n'), textOf(result.summary)])
      assert.equal(text.split(hint).length - 1, 1, text);
  });

  test('of a long wait has no progress of a transfer that has not begun', async () => {
    const fault = { on: 'stats', times: 1, do: { kind: 'delay', ms: 6000 } } as const;
    await using world = await openWorld({ faults: [fault] });
    const { stdout } = await runWell(world, { 'wait-until': 'ready' });
    assert.match(stdout, /^The sandbox was ready after 6/m);
    assert.doesNotMatch(stdout, /of 1 file,/);
  });

  test('of a long transfer says what is waited for, and for how long, and invents no time left', async () => {
    await using world = await openFaulty(
      { kind: 'delay', ms: 6000 },
      { path: 'f1.txt' },
      { files: manyFiles(4) },
    );
    const { lines } = await runWell(world);
    const progress = lines.filter(line =>
      /^3 of 4 files, 36 B of 36 B \(100 %\), waiting for an answer for f1\.txt for [345](\.\d)? s$/.test(
        line,
      ),
    );
    assert.equal(progress.length, 1, lines.join('\n'));
  });
});
