import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { find, link, PROJECT, plant, relatives } from './tree.ts';

describe('excludes apply to every pattern, wherever they stand', () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    '!dist/a': ['dist/index.html', 'index.html', 'packages/foo/dist/x.js'],
    '!**/*.js': ['a/c.map', 'dist/a/c.map', 'dist/index.html', 'index.html'],
    '!./dist/a/**': ['dist/index.html', 'index.html', 'packages/foo/dist/x.js'],
    '!dist': ['packages/foo/dist/x.js'],
    '!dist/': ['packages/foo/dist/x.js'],
  };
  for (const [exclude, expected] of Object.entries(cases)) {
    test(exclude, async () => {
      using tree = plant(PROJECT);
      const lines = ['dist', exclude, '**/dist/**', '!packages/bar'];
      assert.deepEqual(relatives(await find(tree.root, lines)), expected);
    });
  }

  test('an absolute one', async () => {
    using tree = plant(PROJECT);
    assert.deepEqual(relatives(await find(tree.root, ['dist', `!${tree.at('dist/a')}`])), ['index.html']);
  });
});

describe('working-directory', () => {
  for (const workingDirectory of ['packages/foo', './packages/foo/', 'packages/../packages/foo']) {
    test(`${workingDirectory} is where relative patterns and excludes start`, async () => {
      using tree = plant(PROJECT);
      const found = await find(tree.root, ['*', '../bar', '!src'], { workingDirectory });
      assert.deepEqual(
        found.map(match => relatives([match])),
        [['dist/x.js'], ['dist/z.js']],
      );
    });
  }

  test('an absolute one', async () => {
    using tree = plant(PROJECT);
    const found = await find(tree.root, ['*.tsx'], { workingDirectory: tree.at('pages') });
    assert.deepEqual(relatives(found), ['[id].tsx', 'i.tsx']);
  });

  test('one with a line break in its path, which the library takes for two patterns', async () => {
    using tree = plant(PROJECT, 'a\nb');
    await assert.rejects(find(tree.root, ['*']), {
      name: 'InputError',
      message: /^working-directory: "" has a line break in its path \(/,
    });
  });

  for (const workingDirectory of ['missing', 'my file.txt']) {
    test(`${workingDirectory} is no directory`, async () => {
      using tree = plant(PROJECT);
      await assert.rejects(find(tree.root, ['*'], { workingDirectory }), {
        name: 'InputError',
        message: `working-directory: "${workingDirectory}" is not a directory on the runner (${tree.at(workingDirectory)}). Example: working-directory: packages/app`,
      });
    });
  }
});

describe('a workspace whose own path', () => {
  for (const name of ['[x]', 'a*b', 'a?b', 'a b', '#a', '!a', 'a\\b', '{a,b}', '.hidden', 'ü']) {
    const skip = process.platform === 'win32' && /[*?\\]/.test(name) && 'such a name cannot be there';
    test(`holds ${name}`, { skip }, async () => {
      using tree = plant(PROJECT, name);
      const found = await find(tree.root, ['packages/*/dist', '!packages/bar']);
      assert.deepEqual(relatives(found), ['foo/dist/x.js']);
    });
  }

  test('lies behind a link', async () => {
    using tree = plant({ 'real/dist/a.js': '', 'real/dist/b.js': link('a.js'), behind: link('real') });
    const [match] = await find(tree.at('behind'), ['dist/*.js']);
    const found = match?.files.map(({ path: file, realPath }) => [file, realPath]);
    const real = tree.at('real/dist/a.js');
    assert.deepEqual(found?.sort(), [
      [tree.at('behind/dist/a.js'), real],
      [tree.at('behind/dist/b.js'), real],
    ]);
  });
});

test('a search that is cancelled has found nothing', async () => {
  using tree = plant({ 'a/b': '', 'a/c': '' });
  assert.deepEqual(await find(tree.root, ['a'], { cancel: AbortSignal.abort() }), []);
});
