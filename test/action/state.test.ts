import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { WINDOWS } from '../system.ts';
import { openWorld, runWell, TOKEN, when } from './harness.ts';
import { hasState, known, run, runWellWith, STATE, sentBy, stateText } from './state.ts';

const FILES = { 'a.txt': 'aaa', 'b.txt': 'bbb', 'dir/c.txt': 'ccc', empty: '' };
const ALL = Object.keys(FILES);

suite('a state file', { concurrency: 2 }, () => {
  test('lets a second run send nothing, and say so everywhere', async () => {
    await using world = await openWorld({ files: FILES });
    const first = await runWellWith(world);
    assert.deepEqual(first.sent, ALL);
    assert.deepEqual(
      [first.outputs['uploaded-count'], first.outputs['unchanged-count']],
      ['4', '0'],
    );
    const { outputs, report, summary, stdout, sent } = await runWellWith(world);
    assert.deepEqual(sent, []);
    const counts = [
      'uploaded-count',
      'unchanged-count',
      'skipped-count',
      'hidden-count',
      'uploaded-bytes',
      'uploaded',
    ];
    assert.deepEqual(
      counts.map(name => outputs[name]),
      ['0', '4', '0', '0', '0', '[]'],
    );
    assert.equal(report.headline, 'Nothing was sent, 4 files unchanged.');
    assert.deepEqual(
      report.files.map(({ source, status, path: place }) => [source, status, place]),
      ALL.map(name => [name, 'unchanged', `/home/user/${name}`]),
    );
    assert.doesNotMatch(stdout, /Uploading/);
    assert.match(stdout, /^unchanged: a\.txt → \/home\/user\/a\.txt$/m);
    assert.match(summary, /Nothing was sent, 4 files unchanged\./);
    assert.equal(report.totals['unchanged'], 4);
    assert.deepEqual(await sentBy(world, { files: 'a.txt' }), []);
    assert.deepEqual(
      await sentBy(world),
      [],
      'the state keeps rows of files that are not in the plan',
    );
  });

  test('sends files that have changed, even if their size is the same', async () => {
    await using world = await openWorld({ files: FILES });
    await runWellWith(world);
    world.write({ 'a.txt': 'AAA', 'b.txt': 'longer', 'new.txt': 'new' });
    const second = await runWellWith(world);
    assert.deepEqual(second.sent, ['a.txt', 'b.txt', 'new.txt']);
    assert.match(second.report.headline, /^Uploaded 3 files \(12 B\) in .*, 2 unchanged\.$/);
    assert.deepEqual(
      second.report.files.map(({ status }) => status[1]),
      ['p', 'p', 'n', 'n', 'p'],
    );
    assert.equal(world.stored('a.txt').toString(), 'AAA');
    assert.deepEqual(await sentBy(world), []);
  });

  test('names orphaned files, but none that the plan may hold in another spelling', async () => {
    const names = Array.from(
      { length: 12 },
      (_, index) => `old/f${String(index).padStart(2, '0')}`,
    );
    const old = Object.fromEntries(names.map(name => [name, name]));
    await using world = await openWorld({ files: { ...FILES, ...old, 'dir/f00': '00' } });
    assert.deepEqual((await runWellWith(world)).report.orphaned, []);
    const result = await runWellWith(world, { files: '**\n!old' });
    const [notice = ''] = result.annotations('notice');
    assert.match(
      notice,
      /^12 files are no longer in the build but still in the sandbox: "\/home\/user\/old\/f00", /,
    );
    assert.match(notice, /f09", and 2 more; the report file has them all\.$/);
    assert.match(result.summary, /<li>.*12 files are no longer/);
    const places = (orphaned: readonly string[]) => orphaned.map(name => `/home/user/${name}`);
    assert.deepEqual(result.report.orphaned, places(names));
    const { report } = await runWellWith(world, { files: '*.txt\ndir/f00 => /home/user/old/' });
    // A file with a new target leaves its copy at the old path.
    const rest = ['dir/c.txt', 'dir/f00', 'empty', ...names.slice(1)];
    assert.deepEqual(report.orphaned, places(rest));
  });

  test('warns if its cache is not saved, once something was sent', async () => {
    await using world = await openWorld({ files: FILES });
    const warned = async (mode: string) =>
      (await runWellWith(world, {}, { env: { ACTIONS_CACHE_MODE: mode } }))
        .annotations('warning')
        .join();
    assert.match(
      await warned('read'),
      /^Caches of this run are not saved .* starts from an older state/,
    );
    assert.equal(await warned('read'), '');
    for (const mode of ['write', '']) {
      world.write({ 'a.txt': `of ${mode}` });
      assert.equal(await warned(mode), '');
    }
  });

  test('sends an unchanged file to a new target', async () => {
    await using world = await openWorld({ files: FILES });
    await runWellWith(world, { files: 'a.txt' });
    assert.deepEqual(await sentBy(world, { files: 'a.txt', target: 'app' }), ['app/a.txt']);
    assert.deepEqual(await sentBy(world, { files: 'a.txt\na.txt => app/' }), []);
  });

  test('holds its scope and a line for each path that the agent returned, and no secret', async () => {
    await using world = await openWorld({ files: FILES });
    const { report } = await runWellWith(world);
    const [head = '', ...lines] = stateText(world).split('\n');
    assert.match(head, /^\{"schema":2,"scope":"[0-9a-f]{64}","files":\[$/);
    const sha256 = createHash('sha256').update('aaa').digest('hex');
    assert.equal(
      lines[0],
      `{"path":"/home/user/a.txt","target":"a.txt","size":3,"sha256":"${sha256}"},`,
    );
    assert.deepEqual(known(world), ALL);
    assert.ok(!stateText(world).includes(TOKEN));
    assert.equal(statSync(path.join(world.workspace, STATE)).mode & 0o777, WINDOWS ? 0o666 : 0o600);
    assert.deepEqual(readdirSync(path.join(world.workspace, '.sandbox-sync')), ['state.json']);
    assert.equal(report.files.length, 4);
  });

  test('holds the hash of a large file as it was streamed', async () => {
    await using world = await openWorld({ files: { large: Buffer.alloc(3_000_000, 'large') } });
    await runWellWith(world);
    assert.deepEqual(await sentBy(world), []);
    world.write({ large: Buffer.alloc(3_000_000, 'other') });
    assert.deepEqual(await sentBy(world), ['large']);
  });

  test('holds the hash of what was sent if a file changes after it was planned', async () => {
    await using world = await openWorld({ files: FILES });
    const change = when('a.txt', () => world.write({ 'b.txt': 'BBB' }));
    await runWellWith(world, { concurrency: '1' }, change);
    assert.equal(world.stored('b.txt').toString(), 'BBB');
    assert.deepEqual(await sentBy(world), []);
    world.write({ 'b.txt': 'bbb' });
    assert.deepEqual(await sentBy(world), ['b.txt']);
  });

  test('holds the hash of what the last attempt sent if a file changes between two', async () => {
    const busy = { kind: 'status', status: 503 } as const;
    await using world = await openWorld({
      files: FILES,
      faults: [{ on: 'upload', path: 'b.txt', times: 1, do: busy }],
    });
    const change = when('b.txt', () => world.write({ 'b.txt': 'BBB' }));
    await runWellWith(world, {}, change);
    assert.equal(world.stored('b.txt').toString(), 'BBB');
    assert.deepEqual(await sentBy(world), []);
    world.write({ 'b.txt': 'bbb' });
    assert.deepEqual(await sentBy(world), ['b.txt']);
  });

  test('is not written by a dry run, which says what would be sent', async () => {
    await using world = await openWorld({ files: FILES });
    const first = await runWellWith(world, { 'dry-run': 'true' });
    assert.equal(
      first.report.headline,
      'Dry run: 4 files (9 B) would be uploaded; nothing was sent.',
    );
    assert.equal(hasState(world), false);
    await runWellWith(world);
    const before = stateText(world);
    world.write({ 'a.txt': 'AAA' });
    const { report, outputs, stdout } = await runWellWith(world, { 'dry-run': 'true' });
    assert.equal(
      report.headline,
      'Dry run: 1 file (3 B) would be uploaded, 3 unchanged; nothing was sent.',
    );
    assert.deepEqual([outputs['skipped-count'], outputs['unchanged-count']], ['1', '3']);
    assert.match(stdout, /^would be uploaded: a\.txt → a\.txt$/m);
    assert.equal(stateText(world), before);
  });

  test('is not uploaded itself', async () => {
    await using world = await openWorld({ files: FILES });
    const inputs = { 'state-file': 'dir/state.json' };
    assert.deepEqual((await run(world, inputs)).sent, ALL);
    mkdirSync(path.join(world.workspace, 'other'));
    const { sent, report, outputs } = await run(world, { 'state-file': 'other/../dir/state.json' });
    assert.deepEqual(sent, []);
    assert.deepEqual(report.skipped, [{ path: 'dir/state.json', reason: 'the state file' }]);
    assert.equal(outputs['skipped-count'], '1');
  });

  test('does not keep a file named like it, with .new, from being uploaded', async () => {
    const next = { 'dir/state.json.new': 'of the build' };
    await using world = await openWorld({ files: { ...FILES, ...next } });
    const inputs = { 'state-file': 'dir/state.json' };
    const { sent, report } = await runWellWith(world, inputs);
    assert.deepEqual(sent, [...ALL.slice(0, 3), ...Object.keys(next), 'empty']);
    assert.deepEqual(report.skipped, []);
    assert.equal(world.stored('dir/state.json.new').toString(), 'of the build');
    const left = ['c.txt', 'state.json', 'state.json.new'];
    assert.deepEqual(readdirSync(path.join(world.workspace, 'dir')).toSorted(), left);
    assert.deepEqual((await runWellWith(world, inputs)).sent, []);
  });

  test('is removed before the first request, and stays if nothing is to be sent', async () => {
    await using world = await openWorld({ files: FILES });
    await runWellWith(world);
    const before = stateText(world);
    await runWellWith(world);
    assert.equal(stateText(world), before);
    world.write({ 'b.txt': 'BBB' });
    let isThere = true;
    const look = when('b.txt', () => {
      isThere = hasState(world);
    });
    await runWellWith(world, {}, look);
    assert.equal(isThere, false);
    assert.deepEqual(known(world), ALL);
  });

  test('keeps uploads of a run whose stats or gate fail', async () => {
    await using world = await openWorld({
      files: FILES,
      faults: [{ on: 'stats', times: 1, do: { kind: 'status', status: 404 } }],
    });
    assert.equal((await run(world)).exitCode, 1);
    assert.deepEqual(await sentBy(world), []);
    assert.equal((await run(world, { 'fail-if': 'cpu_count > 0' })).exitCode, 1);
    assert.deepEqual(await sentBy(world), []);
  });

  test('is kept by the action upload too', async () => {
    await using world = await openWorld({ files: FILES });
    await runWellWith(world, {}, { task: 'upload' });
    assert.deepEqual((await runWellWith(world, {}, { task: 'upload' })).sent, []);
  });

  test('is not written unless it is named, and every file is sent', async () => {
    await using world = await openWorld({ files: FILES });
    const { outputs, reportText } = await runWell(world);
    assert.deepEqual([outputs['uploaded-count'], outputs['unchanged-count']], ['4', '0']);
    assert.doesNotMatch(reportText, /sha256/);
    assert.deepEqual(readdirSync(world.workspace).toSorted(), ['a.txt', 'b.txt', 'dir', 'empty']);
  });
});
