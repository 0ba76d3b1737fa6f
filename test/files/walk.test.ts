import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { onWindows } from '../system.ts';
import { directory, type Entries, find, link, plant, relatives } from './tree.ts';

const SKIP = { skip: onWindows('its names and links are others') };
const ROOT = { skip: process.getuid?.() === 0 ? 'root reads all' : onWindows('it has no modes') };

function folders(count: number): Entries {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`dist/d${index}/sub/f`, `${index}`]),
  );
}

// With few top folders, excluded ones are not searched.
for (const count of [1, 32, 33]) {
  const more = { 'dist/top': '', 'dist/.env': '', 'dist/.git/x': '', 'dist/d0/.hidden/x': '' };
  const entries = { ...folders(count), ...more };
  const dirs = Array.from({ length: count }, (_, index) => `d${index}/sub/f`);
  const found = async (tree: { root: string }, lines: readonly string[], options = {}) =>
    relatives(await find(tree.root, lines, options));

  describe(`everything in a folder with ${count} folders`, SKIP, () => {
    test('is each file once, hidden ones on demand', async () => {
      using tree = plant(entries);
      const hidden = ['.env', '.git/x', 'd0/.hidden/x', 'top'];
      for (const pattern of ['dist', 'dist/**', 'dist/**/*', './dist/']) {
        assert.deepEqual(await found(tree, [pattern]), [...dirs, 'top'].sort());
        const all = await found(tree, [pattern], { includeHiddenFiles: true });
        assert.deepEqual(all, [...dirs, ...hidden].sort());
      }
    });

    test('less what is excluded', async () => {
      using tree = plant(entries);
      const less = (exclude: string) => found(tree, ['dist', exclude]);
      assert.deepEqual(await less('!dist/d0'), [...dirs.slice(1), 'top'].sort());
      assert.deepEqual(await less('!dist/top'), dirs.toSorted());
      for (const exclude of ['!dist/*/sub', '!**/f'])
        assert.deepEqual(await less(exclude), ['top'], exclude);
      for (const exclude of ['!dist', '!dist/**', '!.'])
        assert.deepEqual(await less(exclude), [], exclude);
    });

    for (const name of [' a', 'a ', 'a\nb', 'a\r', '#a', '!a', '[a]', 'a*', 'a\\b']) {
      test(`of which one is called ${JSON.stringify(name)}`, async () => {
        using tree = plant({ ...entries, [`dist/${name}/f`]: '' });
        assert.deepEqual(await found(tree, ['dist']), [...dirs, 'top', `${name}/f`].sort());
      });
    }

    test('of which one is hidden and spelt out by the pattern or the workspace', async () => {
      using tree = plant({ ...entries, '.next/a/f': '', '.next/.b/f': '' }, '.cache/.w');
      assert.deepEqual(
        [await found(tree, ['.next']), await found(tree, ['dist/top', 'dist/d0'])],
        [['a/f'], ['', 'sub/f']],
      );
    });

    test('is not entered again by a link below it', async () => {
      const up = { 'dist/self': link('.'), 'dist/d0/sub/up': link('../..') };
      const out = { 'dist/d0/out': link('../../w'), 'w/other': '', 'w/back': link('../dist') };
      using tree = plant({ ...entries, ...up, ...out });
      assert.deepEqual(await found(tree, ['dist']), [...dirs, 'top', 'd0/out/other'].sort());
    });
  });
}

test('an excluded folder at the top is not entered', ROOT, async () => {
  using tree = plant({ 'dist/a/f': '', 'dist/f': '', 'dist/shut': directory });
  chmodSync(tree.at('dist/shut'), 0);
  assert.deepEqual(relatives(await find(tree.root, ['dist', '!dist/shut'])), ['a/f', 'f']);
  assert.deepEqual(relatives(await find(tree.root, ['dist', '!dist/*'])), []);
  await assert.rejects(find(tree.root, ['dist']), { name: 'InputError', message: /EACCES/ });
});

test('a hidden folder is not entered', ROOT, async () => {
  using tree = plant({ 'dist/a/f': '', 'dist/a/.shut': directory });
  chmodSync(tree.at('dist/a/.shut'), 0);
  for (const pattern of ['dist', 'dist/*', 'dist/**/f'])
    assert.deepEqual(relatives(await find(tree.root, [pattern])), ['a/f'], pattern);
});

test('a folder that cannot be read is an error that says so', ROOT, async () => {
  using tree = plant({ 'dist/a/f': '', 'dist/shut': directory });
  chmodSync(tree.at('dist/shut'), 0);
  const advice =
    /^files: "dist" cannot be searched: EACCES: .* Let the runner read the folder, or upload another\.$/;
  await assert.rejects(find(tree.root, ['dist']), { name: 'InputError', message: advice });
});

test('a link at the top is searched as what it leads to', SKIP, async () => {
  using tree = plant({
    'a/f': '',
    'dist/folder': link('../a'),
    'dist/file': link('../a/f'),
    'dist/b/f': '',
  });
  const followed = await find(tree.root, ['dist']);
  assert.deepEqual(relatives(followed), ['b/f', 'file', 'folder/f']);
  const real = followed[0]?.files.map(({ realPath }) => path.relative(tree.root, realPath)).sort();
  assert.deepEqual(real, ['a/f', 'a/f', 'dist/b/f']);
  assert.deepEqual(relatives(await find(tree.root, ['dist'], { followSymlinks: false })), ['b/f']);
});

describe('a search that does not end', SKIP, () => {
  test('is given up after too many files', async () => {
    using tree = plant(folders(3));
    const limits = { files: 3, links: 10 };
    assert.equal(relatives(await find(tree.root, ['**'], { limits })).length, 3);
    const message =
      /^files: "\*\*" matches more than 2 files \(for example ".*f"\)\. Do links form a loop\?/;
    await assert.rejects(find(tree.root, ['**'], { limits: { files: 2, links: 10 } }), {
      name: 'InputError',
      message,
    });
  });

  test('is given up after too many links, although it finds no files', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const links = names.flatMap(from =>
      names.filter(to => to !== from).map(to => [`${from}/${to}`, link(`../${to}`)] as const),
    );
    using tree = plant(Object.fromEntries(links));
    const message =
      /^files: "\*\*" leads through more than 100 links to folders \(for example ".*"\)\. Do links/;
    await assert.rejects(find(tree.root, ['**'], { limits: { files: 10, links: 100 } }), {
      name: 'InputError',
      message,
    });
  });
});

test('folders within folders take no time that grows with its cube', SKIP, async () => {
  const took = async (depth: number) => {
    using tree = plant({ [`${'d/'.repeat(depth)}f`]: '' });
    const start = performance.now();
    assert.equal(relatives(await find(tree.root, ['**'])).length, 1);
    return performance.now() - start;
  };
  await took(100);
  assert.ok((await took(1600)) < 200 * (await took(200)));
});
