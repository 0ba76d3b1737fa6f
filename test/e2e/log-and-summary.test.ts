import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  manyFiles,
  openFaulty,
  openWorld,
  type Result,
  runBadly,
  runWell,
  status,
  TOKEN,
} from './harness.ts';

/** The lines of the log that the action's own debug log adds. */
function debugLog({ lines }: Result): string {
  return lines.filter(line => line.startsWith('::debug::')).join('\n');
}

describe('the log', () => {
  test('masks the token first, folds the files, and ends with the verdict', async () => {
    await using world = await openWorld({ files: manyFiles(60) });
    const inputs = { target: '/app', 'fail-if': 'mem_used_pct > 90' };
    const result = await runWell(world, inputs);
    const { lines, masked, summary } = result;
    assert.equal(lines[0], `::add-mask::${TOKEN}`);
    assert.deepEqual(masked, [TOKEN]);
    const group = lines.slice(lines.indexOf('::group::Files') + 1, lines.indexOf('::endgroup::'));
    const expected = Object.keys(manyFiles(60)).map(name => `uploaded: ${name} → /app/${name}`);
    assert.deepEqual(new Set(group), new Set(expected));
    assert.match(lines.at(-2) ?? '', /^Uploaded 60 files/);
    const unfolded = lines.join('\n').replace(/^::(group::.*^::endgroup::|debug::.*?)$/gms, '');
    assert.ok(unfolded.trim().split(/\n+/).length <= 8, unfolded);
    // The glob library always writes debug lines.
    assert.doesNotMatch(debugLog(result), /timeout|60 files/);

    assert.match(summary, /^<h3>✅ Sandbox Sync \(.*\): Uploaded 60 files/);
    for (const text of ['CPU', 'Memory', 'Disk', '60 files'])
      assert.ok(summary.includes(text), `${text} is missing in ${summary}`);
  });

  test('of a large run stays short, and shows first what failed', async () => {
    const files = manyFiles(1100);
    await using world = await openFaulty(status(400), { path: 'f1090.txt' }, { files });
    const { lines } = await runBadly(world, {}, { task: 'upload' });
    const shown = lines.filter(line => !line.startsWith('::debug::'));
    assert.ok(shown.length < 1050, `${shown.length} lines`);
    assert.match(shown.join('\n'), /and 100 more/);
    assert.match(lines[lines.indexOf('::group::Files') + 1] ?? '', /^failed: f1090\.txt/);
    assert.match(lines.at(-2) ?? '', /^::error::.*1,099 of 1,100 files/);
  });

  test('has inputs without secrets, the plan and the stats in its debug lines', async () => {
    await using world = await openWorld();
    const inputs = { headers: 'X-Session: hush-hush', timeout: '30s', 'warn-if': 'cpu_count > 9' };
    const log = debugLog(await runWell(world, inputs, { env: { RUNNER_DEBUG: '1' } }));
    for (const part of [/sandbox-sync\/\d/, /timeout.*30/, /1 file/, /12\.5/])
      assert.match(log, part);
    assert.ok(!log.includes('hush-hush') && !log.includes(TOKEN));
  });
});

describe('the summary', () => {
  test('says what failed, why, what to do, and which sandbox it was; the gate comes first', async () => {
    const files = { 'a.txt': 'a', 'b.txt': 'b' };
    await using world = await openFaulty(status(413), { path: 'a.txt' }, { files });
    const { summary, stdout } = await runBadly(world, { 'fail-if': 'mem_used_pct > 20' });
    assert.match(summary, /^<h3>❌ Sandbox Sync \(<code>sandbox1<\/code>\)[\s\S]*mem_used_pct/);
    assert.match(summary, /1 of 2 files[\s\S]*answered 413[\s\S]*size[\s\S]*a\.txt/);
    assert.match(stdout.trimEnd().split('\n').at(-1) ?? '', /^::error::.*1 of 2/);
  });

  test('is not written with summary: false, not even for wrong inputs', async () => {
    await using world = await openWorld();
    assert.equal((await runBadly(world, { summary: 'False', port: 'x' })).summary, '');
    assert.equal((await runWell(world, { summary: 'false' }, { task: 'stats' })).summary, '');
  });
});
