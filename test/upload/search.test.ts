import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { matcher } from '../../src/upload/pattern.ts';
import { openSearch } from '../../src/upload/search.ts';
import { directory, type Entries, find, link, plant, relatives } from './tree.ts';

const SKIP = { skip: process.platform === 'win32' };
const ROOT = { skip: process.getuid?.() === 0 ? 'root reads all' : process.platform === 'win32' };

function folders(count: number): Entries {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`dist/d${index}/sub/f`, `${index}`]));
}

// With few folders at its top, a search for everything is split by them.
for (const count of [1, 32, 33]) {
  const entries = {
    ...folders(count),
    'dist/top': '',
    'dist/.env': '',
    'dist/.git/x': '',
    'dist/d0/.hidden/x': '',
  };
  const dirs = Array.from({ length: count }, (_, index) => `d${index}/sub/f`);
  const found = async (tree: { root: string }, lines: readonly string[], options = {}) =>
    relatives(await find(tree.root, lines, options));

  describe(`everything in a folder with ${count} folders`, SKIP, () => {
    for (const pattern of ['dist', 'dist/**', 'dist/**/*', './dist/']) {
      test(`${pattern} finds each file once, hidden ones on demand`, async () => {
        using tree = plant(entries);
        assert.deepEqual(await found(tree, [pattern]), [...dirs, 'top'].sort());
        const hidden = ['.env', '.git/x', 'd0/.hidden/x', 'top'];
        const all = await found(tree, [pattern], { includeHiddenFiles: true });
        assert.deepEqual(all, [...dirs, ...hidden].sort());
      });
    }

    const excludes: Readonly<Record<string, readonly string[]>> = {
      '!dist/d0': [...dirs.slice(1), 'top'],
      '!dist/*/sub': ['top'],
      '!**/f': ['top'],
      '!dist/top': dirs,
      '!dist': [],
      '!dist/**': [],
      '!.': [],
    };
    for (const [exclude, expected] of Object.entries(excludes)) {
      test(`less ${exclude}`, async () => {
        using tree = plant(entries);
        assert.deepEqual(await found(tree, ['dist', exclude]), expected.toSorted());
      });
    }

    for (const name of [' a', 'a ', 'a\nb', 'a\r', '#a', '!a', '[a]', 'a*', 'a\\b']) {
      test(`of which one is called ${JSON.stringify(name)}`, async () => {
        using tree = plant({ ...entries, [`dist/${name}/f`]: '' });
        assert.deepEqual(await found(tree, ['dist']), [...dirs, 'top', `${name}/f`].sort());
      });
    }

    test('of which one is hidden and spelt out by the pattern or the workspace', async () => {
      using tree = plant({ ...entries, '.next/a/f': '', '.next/.b/f': '' }, '.cache/.w');
      assert.deepEqual(await found(tree, ['.next']), ['a/f']);
      assert.deepEqual(await found(tree, ['dist']), [...dirs, 'top'].sort());
    });

    test('is not entered again by a link below it', async () => {
      const links = {
        'dist/self': link('.'),
        'dist/d0/sub/up': link('../..'),
        'dist/d0/out': link('../../w'),
      };
      using tree = plant({ ...entries, ...links, 'w/other': '', 'w/back': link('../dist') });
      assert.deepEqual(await found(tree, ['dist']), [...dirs, 'top', 'd0/out/other'].sort());
    });
  });
}

test('an excluded folder at the top is not entered', SKIP, async () => {
  using tree = plant({ 'dist/a/f': '', 'dist/shut/loop': link('loop') });
  assert.deepEqual(relatives(await find(tree.root, ['dist', '!dist/shut'])), ['a/f']);
  await assert.rejects(find(tree.root, ['dist']), { name: 'InputError', message: /ELOOP/ });
});

test('a folder that cannot be read is an error that says so', ROOT, async () => {
  using tree = plant({ 'dist/a/f': '', 'dist/shut': directory });
  chmodSync(tree.at('dist/shut'), 0);
  const advice = /^files: "dist" cannot be searched: EACCES: .* Let the runner read the folder, or upload another\.$/;
  await assert.rejects(find(tree.root, ['dist']), { name: 'InputError', message: advice });
});

describe('a pattern that leads through a file matches nothing', () => {
  for (const pattern of ['README.md/*', 'README.md/x', 'README.md/x/**', '*/x/y']) {
    test(pattern, async () => {
      using tree = plant({ 'README.md': '' });
      assert.deepEqual(relatives(await find(tree.root, [pattern])), []);
    });
  }
});

test('a link at the top is searched as what it leads to', SKIP, async () => {
  using tree = plant({ 'a/f': '', 'dist/folder': link('../a'), 'dist/file': link('../a/f'), 'dist/b/f': '' });
  const followed = await find(tree.root, ['dist']);
  assert.deepEqual(relatives(followed), ['b/f', 'file', 'folder/f']);
  assert.deepEqual(followed[0]?.files.map(({ realPath }) => path.relative(tree.root, realPath)).sort(), [
    'a/f',
    'a/f',
    'dist/b/f',
  ]);
  assert.deepEqual(relatives(await find(tree.root, ['dist'], { followSymlinks: false })), ['b/f']);
});

test('more paths than a search may yield are an error that names the pattern and a place', SKIP, async () => {
  using tree = plant(folders(3));
  const pattern = path.join(tree.root, '**');
  const query = { pattern, excludes: [], match: matcher(pattern, []), followSymlinks: true, visibleOnly: true };
  const search = (most: number) => openSearch(most)(query, new AbortController().signal);
  assert.equal((await search(3)).paths.length, 3);
  await assert.rejects(search(2), /files: ".*" leads to more than a million files, .* such as to ".*f"\. Exclude/);
});
