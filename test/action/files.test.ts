import assert from 'node:assert/strict';
import { chmodSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { onWindows } from '../system.ts';
import { telling } from '../telling.ts';
import {
  type Files,
  type Inputs,
  openWorld,
  type Result,
  runBadly,
  runWell,
  type World,
} from './harness.ts';

const FILES: Files = {
  'dist/a/b.js': 'b',
  'dist/index.html': 'index',
  'dist/.well-known/x': 'x',
  'packages/foo/dist/foo.js': 'foo',
  'packages/bar/dist/sub/bar.js': 'bar',
  'README.md': 'read',
};

/** By lines of `files`: each target with its source. */
const MAPPINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'dist/**': { '/home/user/t/a/b.js': 'dist/a/b.js', '/home/user/t/index.html': 'dist/index.html' },
  dist: { '/home/user/t/a/b.js': 'dist/a/b.js', '/home/user/t/index.html': 'dist/index.html' },
  'dist/**/.well-known/**': { '/home/user/t/.well-known/x': 'dist/.well-known/x' },
  'packages/*/dist/**': {
    '/home/user/t/foo/dist/foo.js': 'packages/foo/dist/foo.js',
    '/home/user/t/bar/dist/sub/bar.js': 'packages/bar/dist/sub/bar.js',
  },
  'README.md': { '/home/user/t/README.md': 'README.md' },
  'README.md => doc/read.me': { '/home/user/t/doc/read.me': 'README.md' },
  'README.md => /srv/doc/': { '/srv/doc/README.md': 'README.md' },
  'dist/*.html => www': { '/home/user/t/www/index.html': 'dist/index.html' },
  '# all but one\ndist/**\n\n!**/*.html\nREADME.md': {
    '/home/user/t/a/b.js': 'dist/a/b.js',
    '/home/user/t/README.md': 'README.md',
  },
};

const NO_MODES = { skip: onWindows('it has no modes') };

function arrived({ report }: Result): Record<string, string> {
  return Object.fromEntries(report.files.map(file => [file.path ?? file.status, file.source]));
}

async function arrivals(world: World, inputs: Inputs): Promise<string[]> {
  return Object.values(arrived(await runWell(world, inputs))).toSorted();
}

suite('files', { concurrency: 2 }, () => {
  for (const [files, expected] of telling(MAPPINGS, [
    'packages/*/dist/**',
    'README.md => doc/read.me',
    'README.md => /srv/doc/',
    '# all but one\ndist/**\n\n!**/*.html\nREADME.md',
  ])) {
    test(`of ${JSON.stringify(files)} land where the rule says`, async () => {
      await using world = await openWorld({ files: FILES });
      assert.deepEqual(arrived(await runWell(world, { files, target: 't' })), expected);
      for (const [target, source] of Object.entries(expected)) {
        assert.equal(world.stored(target).toString(), FILES[source]);
      }
    });
  }

  test('start from working-directory and are known by their place in the workspace', async () => {
    await using world = await openWorld({ files: FILES });
    const result = await runWell(world, { files: 'dist/**', 'working-directory': 'packages/foo' });
    assert.deepEqual(arrived(result), { '/home/user/foo.js': 'packages/foo/dist/foo.js' });
  });

  test('with names that begin with a dot are left out unless spelt out or asked for', async () => {
    await using world = await openWorld({
      files: { '.env': 'e', 'a/.hidden': 'h', 'a/.git/x': 'x', 'a/b': 'b' },
    });
    assert.deepEqual(await arrivals(world, { files: '**' }), ['a/b']);
    assert.deepEqual(await arrivals(world, { files: '.env\na/.git/**' }), ['.env', 'a/.git/x']);
    const all = await arrivals(world, { files: '**', 'include-hidden-files': 'true' });
    assert.deepEqual(all, ['.env', 'a/.git/x', 'a/.hidden', 'a/b']);
  });

  test('that are hidden are counted, and the line that is told takes them to where the others are', async () => {
    const hidden = {
      'a/.well-known/x': 'x',
      'a/[b]/.env': 'e',
      'a/.git/.config': 'c',
      'a/.no': 'n',
    };
    await using world = await openWorld({ files: { 'a/f': 'f', ...hidden } });
    const less = { files: 'a/** => t\na/.no => n\n!**/[[]b]' };
    const { stdout, summary, outputs, report } = await runWell(world, less);
    const line = 'a/**/.well-known => t';
    const says = `. 2 hidden files were skipped, such as "a/.well-known": the line "${line}" includes it.`;
    const verdict = stdout.split('\n').find(each => each.startsWith('Uploaded 2 files'));
    assert.ok(verdict?.endsWith(says), stdout);
    assert.match(summary, /<li>.*2 hidden files were skipped/);
    assert.deepEqual(outputs['hidden-count'], '2');
    assert.deepEqual(report.hidden.map(({ path: name }) => name).toSorted(), [
      'a/.git',
      'a/.well-known',
    ]);
    await runWell(world, { files: line });
    assert.equal(world.stored('t/.well-known/x').toString(), 'x');
    const none = await runWell(world, { files: `${less.files}\n${line}\n!**/.git` });
    assert.deepEqual(
      [none.outputs['hidden-count'], /hidden/.test(none.stdout + none.summary)],
      ['0', false],
    );
    const escaped = await runWell(world, {
      files: '**',
      'working-directory': 'a/[b]',
      'if-no-files-found': 'ignore',
    });
    assert.match(
      escaped.stdout,
      /There were no files .* 1 hidden file was skipped, such as "a\/\[b\]\/\.env": the line "\*\*\/\.env" includes/,
    );
  });

  test(
    'that are executable are counted in one notice, unless the sandbox has them already',
    NO_MODES,
    async () => {
      await using world = await openWorld({ files: FILES });
      const run = () => runWell(world, { files: 'dist/**', 'state-file': 'state.json' });
      assert.deepEqual((await run()).annotations('notice'), []);
      world.write({ 'dist/a/b.js': '#!/bin/node' });
      for (const name of ['dist/a/b.js', 'dist/index.html'])
        chmodSync(path.join(world.workspace, name), 0o755);
      const result = await run();
      const [notice = '', ...others] = result.annotations('notice');
      assert.match(
        notice,
        /^1 file is executable, such as "dist\/a\/b\.js"\. .* 0644 .*examples\/archive\.yml$/,
      );
      assert.deepEqual(others, []);
      assert.match(result.summary, /<li>.*1 file is executable/);
    },
  );

  test('behind links arrive where the links end inside the workspace', async () => {
    await using world = await openWorld({ files: { 'real/a.txt': 'a', 'web/b.txt': 'b' } });
    symlinkSync('../real', path.join(world.workspace, 'web/linked'));
    symlinkSync('../real/a.txt', path.join(world.workspace, 'web/one'));
    assert.deepEqual(await arrivals(world, { files: 'web/**' }), [
      'web/b.txt',
      'web/linked/a.txt',
      'web/one',
    ]);
    assert.equal(world.stored('linked/a.txt').toString(), 'a');
  });

  test('that no pattern finds are an error that names each such pattern', async () => {
    await using world = await openWorld();
    const result = await runBadly(world, { files: 'a.txt\nnope/*.js\nbin/**' });
    const errors = result.annotations('error').join('\n');
    assert.match(errors, /"nope\/\*\.js"/);
    assert.match(errors, /"bin\/\*\*"/);
    assert.equal(world.agent.connections(), 0);
  });

  test('that no pattern finds can be a warning, or nothing', async () => {
    await using world = await openWorld();
    const files = 'a.txt\nnope/*.js';
    const warned = await runWell(world, { files, 'if-no-files-found': 'warn' });
    assert.match(warned.annotations('warning').join(), /"nope\/\*\.js"/);
    const ignored = await runWell(world, { files, 'if-no-files-found': 'ignore' });
    assert.doesNotMatch(ignored.everything, /nope\/\*/);
    assert.deepEqual(arrived(ignored), { '/home/user/a.txt': 'a.txt' });
    const none = await runWell(world, { files: 'nope', 'if-no-files-found': 'ignore' });
    assert.deepEqual([none.outputs['uploaded-count'], none.outputs['uploaded']], ['0', '[]']);
  });

  test('that no line excludes make a warning of each such line, with what it may have meant', async () => {
    const more = ['a/x.map', 'a/node_modules/y.map', 'z.map'].map(name => [`dist/${name}`, name]);
    await using world = await openWorld({
      files: { ...FILES, ...Object.fromEntries(more), 'dist/.env': 'e' },
    });
    for (const [lines, said] of Object.entries({
      'dist/**\n!*.map\n!**/.env\n!none': [
        '"!*.map" excluded nothing; "!**/*.map" would leave out 3 files.',
        '"!none" excluded nothing that the other lines match.',
      ],
      // A line is used even if another also excludes the file, or the file's folder.
      'dist\n!**/*.map\n!dist/z.map\n!**/node_modules': [],
      'dist\n!dist/a\n!dist/a/**/y.map\n!dist/b/*': [
        '"!dist/b/*" excluded nothing that the other lines match.',
      ],
    })) {
      const result = await runWell(world, { files: lines, 'dry-run': 'true' });
      assert.deepEqual(result.annotations('warning'), said, lines);
    }
  });

  test('of a dry run are listed with their targets, and nothing is sent', async () => {
    await using world = await openWorld({ files: FILES });
    const result = await runWell(world, { files: 'dist/**', target: '/app', 'dry-run': 'true' });
    assert.equal(world.agent.connections(), 0);
    assert.match(result.stdout, /^.*dist\/a\/b\.js → \/app\/a\/b\.js$/m);
    assert.deepEqual(
      [result.outputs['uploaded-count'], result.outputs['skipped-count']],
      ['0', '2'],
    );
    assert.equal(result.report.dryRun, true);
    assert.equal(result.outputs['stats'], '');
  });

  test('of two sources for one target are an error that names both, before anything is sent', async () => {
    await using world = await openWorld({ files: { 'x/a.js': '1', 'y/a.js': '2' } });
    const errors = (await runBadly(world, { files: 'x/**\ny/**' })).annotations('error').join();
    assert.match(errors, /"x\/a\.js".*"y\/a\.js".*"a\.js"/);
    assert.equal(world.agent.connections(), 0);
  });

  test('that two patterns find are uploaded once', async () => {
    await using world = await openWorld();
    assert.deepEqual(await arrivals(world, { files: '**\na.txt\n*.txt' }), ['a.txt']);
    assert.equal(world.agent.requests.length, 2);
  });
});
