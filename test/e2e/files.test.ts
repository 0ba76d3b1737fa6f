import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { onWindows, WINDOWS } from '../system.ts';
import {
  assertDelivered,
  type Files,
  openWorld,
  type Result,
  runBadly,
  runWell,
  uploads,
  when,
} from './harness.ts';

const FILES: Files = {
  'dist/a/b.js': 'b',
  'dist/index.html': 'index',
  'dist/.well-known/x': 'x',
  'dist/.env': 'e',
  'packages/foo/dist/foo.js': 'foo',
  'packages/bar/dist/sub/bar.js': 'bar',
  'README.md': 'read',
  '.git/config': 'secret',
  '.env': 'secret',
};

/** By line of `files`, which all share one run: each path in the sandbox, and its source. */
const LINES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'dist/** => 1': { '1/a/b.js': 'dist/a/b.js', '1/index.html': 'dist/index.html' },
  'dist => 2': { '2/a/b.js': 'dist/a/b.js', '2/index.html': 'dist/index.html' },
  'dist/**/.well-known/** => 3': { '3/.well-known/x': 'dist/.well-known/x' },
  'packages/*/dist/** => 4': {
    '4/foo/dist/foo.js': 'packages/foo/dist/foo.js',
    '4/bar/dist/sub/bar.js': 'packages/bar/dist/sub/bar.js',
  },
  'README.md': { 'README.md': 'README.md' },
  'README.md => doc/read.me': { 'doc/read.me': 'README.md' },
  'README.md => /srv/doc/': { '/srv/doc/README.md': 'README.md' },
  'dist/*.html => www': { 'www/index.html': 'dist/index.html' },
  '.env => 5/': { '5/.env': '.env' },
  'dist/.env => 6/': { '6/.env': 'dist/.env' },
  '.git/** => 7': { '7/config': '.git/config' },
};

/** Pairs of path and source. */
function landed({ report }: Result): [string, string][] {
  return report.files.map(file => [file.path ?? file.status, file.source]);
}

describe('the input files', () => {
  test('puts each file where the rule says, hidden ones only if a line spells them out', async () => {
    await using world = await openWorld({ files: FILES });
    chmodSync(path.join(world.workspace, 'dist/index.html'), 0o755);
    const result = await runWell(world, { files: Object.keys(LINES).join('\n'), target: 't' });
    const expected = Object.values(LINES).flatMap(line =>
      Object.entries(line).map(([place, source]) => [
        path.posix.resolve('/home/user/t', place),
        source,
      ]),
    );
    assert.deepEqual(Object.fromEntries(landed(result)), Object.fromEntries(expected));
    for (const [place = '', source = ''] of expected)
      assert.equal(world.stored(place).toString(), FILES[source]);
    assertDelivered(world, result);
    // Windows has no modes.
    if (!WINDOWS)
      assert.match(result.annotations('notice').join(), /executable.*dist\/index\.html/);
  });

  test('takes comments, excludes and a directory, and sends what two lines find once', async () => {
    await using world = await openWorld({ files: FILES });
    const result = await runWell(world, {
      files: '# all but one\n**\n\n!**/*.html\n**/b.js',
      'working-directory': 'dist',
      'include-hidden-files': 'true',
    });
    assert.deepEqual(Object.fromEntries(landed(result)), {
      '/home/user/a/b.js': 'dist/a/b.js',
      '/home/user/.well-known/x': 'dist/.well-known/x',
      '/home/user/.env': 'dist/.env',
    });
    assert.equal(uploads(world).length, 3);
  });

  test('of a dry run is listed with its targets, and nothing is sent', async () => {
    await using world = await openWorld({ files: FILES });
    const { stdout, outputs, report, summary } = await runWell(world, {
      files: 'dist/**',
      target: '/app',
      'dry-run': 'true',
      'wait-until': 'cpu_used_pct < 1',
      'fail-if': 'cpu_count > 0',
    });
    assert.equal(world.agent.connections(), 0);
    assert.match(stdout, /^.*dist\/a\/b\.js → \/app\/a\/b\.js$/m);
    assert.match(summary, /^<h3>✅ .*Dry run: 2 files [\s\S]*\/app/);
    assert.deepEqual([outputs['uploaded-count'], outputs['skipped-count']], ['0', '2']);
    assert.deepEqual([report.dryRun, outputs['stats'], outputs['gate']], [true, '', 'none']);
    assert.equal(report.digest, '');
  });
});

describe('a pattern that matches no file', () => {
  test('is a warning if if-no-files-found says so', async () => {
    await using world = await openWorld();
    const inputs = { files: 'nope/*.js', 'if-no-files-found': 'warn' };
    const { warnings, outputs, summary } = await runWell(world, inputs);
    assert.match(warnings, /"nope\/\*\.js"/);
    assert.equal(outputs['uploaded-count'], '0');
    assert.match(summary, /^<h3>⚠️ .*no files/);
  });
});

describe('links', { skip: onWindows('making them needs a privilege') }, () => {
  test('to files are sent; broken ones, those to hidden files and, if told so, to folders are skipped', async () => {
    await using world = await openWorld({ files: { ...FILES, 'real/a.txt': 'a' } });
    const end = '../.git/config';
    world.link({ 'web/one': '../real/a.txt', 'web/broken': 'nowhere', 'web/hidden': end });
    world.link({ 'web/up': '.' });
    const inputs = { files: 'web/**', 'follow-symlinks': 'false' };
    const { outputs, report, warnings } = await runWell(world, inputs);
    assert.equal(world.stored('one').toString(), 'a');
    assert.deepEqual([outputs['uploaded-count'], outputs['skipped-count']], ['1', '3']);
    assert.deepEqual(
      new Set(report.skipped.map(({ path: name }) => name)),
      new Set(['web/broken', 'web/hidden', 'web/up']),
    );
    assert.match(warnings, /web\/broken/);
    assert.match(warnings, /web\/hidden/);
  });

  test('that leave the workspace are an error that names them, and nothing is sent', async () => {
    await using world = await openWorld({ files: { 'dist/a': 'a' } });
    writeFileSync(path.join(world.outside, 'secret'), 'the credential of the runner');
    world.link({ 'dist/file': '../two', two: path.join(world.outside, 'secret') });
    const { errors, everything } = await runBadly(world, { files: 'dist/**' });
    assert.match(errors, /dist\/file.*outside the workspace|outside the workspace.*dist\/file/s);
    assert.ok(!everything.includes('the credential'));
    assert.equal(world.agent.connections(), 0);
  });
});

describe('a file that changes', () => {
  const CHANGES: Readonly<Record<string, (file: string) => void>> = {
    grows: file => appendFileSync(file, 'more'),
    shrinks: file => truncateSync(file, 10),
    vanishes: file => rmSync(file),
    'is-emptied': file => truncateSync(file, 0),
  };

  test('after it was found fails, small or large, and the others arrive', async () => {
    const names = Object.keys(CHANGES).flatMap(name => [`${name}-small`, `${name}-large`]);
    const contents = names.map(name => [name, Buffer.alloc(name.endsWith('large') ? 1e6 : 1e3)]);
    await using world = await openWorld({
      files: { a: 'a', ...Object.fromEntries(contents), z: 'z' },
    });
    const change = () => {
      for (const [name, act] of Object.entries(CHANGES))
        for (const size of ['small', 'large']) act(path.join(world.workspace, `${name}-${size}`));
    };
    const inputs = { concurrency: '1', retries: '0', files: ['a', ...names, 'z'].join('\n') };
    const result = await runBadly(world, inputs, { ...when('a', change), task: 'upload' });
    for (const name of names) assert.match(result.file(name).error?.kind ?? '', /^file-/, name);
    assert.equal(result.outputs['uploaded-count'], '2');
    assertDelivered(world, result);
  });

  test('while it is sent fails', async () => {
    const large = Buffer.alloc(48 * 1024 * 1024);
    await using world = await openWorld({ files: { large } });
    const shrink = () => truncateSync(path.join(world.workspace, 'large'), 1);
    const result = await runBadly(world, { retries: '1' }, when('large', shrink));
    const { status, attempts } = result.file('large');
    assert.deepEqual([status, attempts], ['failed', 2]);
  });
});
