import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { describe, test } from 'node:test';
import { canBeNamed, onWindows, unlessLinux, WINDOWS } from '../system.ts';
import {
  badName,
  directory,
  type Entries,
  fifo,
  find,
  link,
  plant,
  relatives,
  skipped,
} from './tree.ts';

const PROJECT: Entries = {
  'dist/index.html': '12345',
  'dist/a/b.js': 'b',
  'dist/a/c.map': 'c',
  'packages/foo/dist/x.js': 'x',
  'packages/foo/src/y.ts': 'y',
  'packages/bar/dist/z.js': 'z',
  'pages/[id].tsx': 'id',
  'pages/i.tsx': 'i',
  'my file.txt': 'spaces',
  empty: directory,
};

const DIST = ['a/b.js', 'a/c.map', 'index.html'];

/** By lines: what they find. */
const FOUND: Readonly<Record<string, readonly string[]>> = {
  'dist/**': DIST,
  dist: DIST,
  'dist/': DIST,
  './dist//**': DIST,
  'packages/../dist': DIST,
  'dist/*': DIST,
  'dist/*.html': ['index.html'],
  'dist/**/*.js': ['a/b.js'],
  'dist/index.html': [''],
  'packages/*/dist/**': ['bar/dist/z.js', 'foo/dist/x.js'],
  'packages/f*': ['foo/dist/x.js', 'foo/src/y.ts'],
  '**/x.js': ['packages/foo/dist/x.js'],
  'pages/[[]id].tsx': [''],
  'pages/[id].tsx': ['i.tsx'],
  'my file.txt': [''],
  'my*': ['my file.txt'],
  missing: [],
  'dist/*.none': [],
  empty: [],
  'my file.txt/*': [],
  'dist,!dist/a': ['index.html'],
  'dist,!dist/a/**': ['index.html'],
  'dist,!**/*.js': ['a/c.map', 'index.html'],
  '!dist/a,dist': ['index.html'],
  'dist,!.': [],
  'dist,**/*.html,!**/a': ['dist/index.html', 'index.html'],
};

describe('a pattern finds, below what it spells out', () => {
  for (const [lines, expected] of Object.entries(FOUND)) {
    test(lines, async () => {
      using tree = plant(PROJECT);
      assert.deepEqual(relatives(await find(tree.root, lines.split(','))), expected);
    });
  }

  test('what is elsewhere, by an absolute path', async () => {
    using tree = plant(PROJECT);
    using elsewhere = plant({ 'a.txt': 'a', 'b.txt': 'b' });
    const lines = [tree.at('dist/*/b.js'), elsewhere.root, `!${elsewhere.at('b.txt')}`];
    assert.deepEqual(relatives(await find(tree.root, lines)), ['a.txt', 'a/b.js']);
  });

  test('what is in the home directory', async context => {
    using tree = plant(PROJECT);
    using home = plant({ 'conf/a/b.txt': '' }, '[home]');
    const variable = WINDOWS ? 'USERPROFILE' : 'HOME';
    const before = process.env[variable];
    context.after(() => {
      process.env[variable] = before;
    });
    process.env[variable] = home.root;
    assert.deepEqual(relatives(await find(tree.root, ['~/conf/*'])), ['a/b.txt']);
    assert.deepEqual(relatives(await find(tree.root, ['~', '!~/conf'])), []);
  });
});

test('each pattern has its matches, in the order written', async () => {
  using tree = plant(PROJECT);
  const matches = await find(tree.root, ['pages/i*', 'dist/index.*', 'missing']);
  assert.deepEqual(
    matches.map(match => [match.pattern.pattern, ...relatives([match])]),
    [['pages/i*', 'i.tsx'], ['dist/index.*', 'index.html'], ['missing']],
  );
});

describe('working-directory', () => {
  for (const place of ['packages/foo', './packages/foo/', 'packages/../packages/foo']) {
    test(`is where patterns and excludes start: ${place}`, async () => {
      using tree = plant(PROJECT);
      const matches = await find(tree.root, ['*', '../bar', '!src'], { workingDirectory: place });
      assert.deepEqual(relatives(matches), ['dist/x.js', 'dist/z.js']);
    });
  }

  for (const workingDirectory of ['missing', 'my file.txt', 'my file.txt/x', 'loop']) {
    const skip = workingDirectory === 'loop' && onWindows('its links are others');
    test(`must be a directory, not ${workingDirectory}`, { skip }, async () => {
      using tree = plant({ ...PROJECT, ...(!WINDOWS && { loop: link('loop') }) });
      await assert.rejects(find(tree.root, ['*'], { workingDirectory }), {
        name: 'InputError',
        message: /^working-directory: ".*" is not a directory on the runner/,
      });
    });
  }
});

for (const name of ['[x]', 'a*b', 'a?b', 'a b', '#a', '!a', 'a\\b', '{a,b}', 'ü', '-', 'a\nb']) {
  const skip = !canBeNamed(name) && 'such a name cannot be there';
  test(`the name ${JSON.stringify(name)} is found unchanged`, { skip }, async () => {
    using tree = plant({ [`dir/${name}`]: '' });
    assert.deepEqual(relatives(await find(tree.root, ['dir/*'])), [name]);
  });

  const isLine = name !== 'a\nb';
  test(`the workspace may be called ${JSON.stringify(name)}`, {
    skip: skip || (!isLine && 'a pattern is one line'),
  }, async () => {
    using tree = plant(PROJECT, name);
    const lines = ['packages/*/dist', '!packages/bar'];
    assert.deepEqual(relatives(await find(tree.root, lines)), ['foo/dist/x.js']);
  });
}

describe('what is no regular file is skipped', { skip: onWindows('it has no such files') }, () => {
  for (const pattern of ['a', 'a/pipe']) {
    test(pattern, async () => {
      using tree = plant({ 'a/pipe': fifo });
      const matches = await find(tree.root, [pattern]);
      assert.deepEqual(relatives(matches), []);
      assert.deepEqual(skipped(matches, tree.root), { 'a/pipe': 'not a regular file' });
    });
  }
});

describe('what the library cannot search is an error', () => {
  const isRoot = process.getuid?.() === 0;

  for (const followSymlinks of [undefined, true]) {
    const skip = unlessLinux('such names need Linux');
    test(`a name that is not UTF-8, follow-symlinks ${followSymlinks}`, { skip }, async () => {
      using tree = plant({ 'a/bad': badName, 'a/good': '' });
      await assert.rejects(find(tree.root, ['a'], { followSymlinks }), {
        name: 'InputError',
        message: /^files: "a" cannot be searched: ENOENT.*not valid UTF-8: rename it/,
      });
    });
  }

  test('a folder that cannot be read', {
    skip: isRoot ? 'root reads all' : onWindows('it has no modes'),
  }, async () => {
    using tree = plant({ 'a/shut': directory });
    chmodSync(tree.at('a/shut'), 0);
    const message = /^files: "a" cannot be searched: EACCES/;
    await assert.rejects(find(tree.root, ['a']), { name: 'InputError', message });
    // Only a folder that can be read can be removed with the tree.
    chmodSync(tree.at('a/shut'), 0o700);
  });

  test('a path through a file', { skip: onWindows('it finds no such path') }, async () => {
    using tree = plant(PROJECT);
    const message = /^files: "my file.txt\/x\/\*" cannot be searched: ENOTDIR/;
    await assert.rejects(find(tree.root, ['my file.txt/x/*']), { name: 'InputError', message });
  });

  test('too many files', async () => {
    using tree = plant(PROJECT);
    assert.equal(relatives(await find(tree.root, ['dist'], { maxFiles: 3 })).length, 3);
    await assert.rejects(find(tree.root, ['dist'], { maxFiles: 2 }), {
      name: 'InputError',
      message: /^files: "dist" matches more than 2 files/,
    });
  });
});

describe('a cancelled search finds nothing', () => {
  test('if it was cancelled before', async () => {
    using tree = plant(PROJECT);
    assert.deepEqual(await find(tree.root, ['dist'], { cancel: AbortSignal.abort() }), []);
  });

  for (const pattern of ['**', '**/none']) {
    test(`if it is cancelled meanwhile: ${pattern}`, async () => {
      using tree = plant(PROJECT);
      const controller = new AbortController();
      const finding = find(tree.root, [pattern], { cancel: controller.signal });
      controller.abort();
      assert.deepEqual(await finding, []);
    });
  }
});
