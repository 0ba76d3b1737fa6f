import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { find, PROJECT, plant, relatives } from './tree.ts';

const FOUND: Readonly<Record<string, readonly string[]>> = {
  'dist/**': ['a/b.js', 'a/c.map', 'index.html'],
  dist: ['a/b.js', 'a/c.map', 'index.html'],
  'dist/': ['a/b.js', 'a/c.map', 'index.html'],
  './dist/**': ['a/b.js', 'a/c.map', 'index.html'],
  'dist/*': ['a/b.js', 'a/c.map', 'index.html'],
  'dist/*.html': ['index.html'],
  'dist/**/*.js': ['a/b.js'],
  'dist/index.html': [''],
  'packages/*/dist/**': ['bar/dist/z.js', 'foo/dist/x.js'],
  'packages/*/dist': ['bar/dist/z.js', 'foo/dist/x.js'],
  'packages/f*': ['foo/dist/x.js', 'foo/src/y.ts'],
  'packages/foo/**/y.ts': ['src/y.ts'],
  '**/x.js': ['packages/foo/dist/x.js'],
  'pages/[[]id].tsx': [''],
  'pages/[id].tsx': ['i.tsx'],
  'my file.txt': [''],
  'my*': ['my file.txt'],
  missing: [],
  'dist/*.none': [],
  empty: [],
};

describe('what the pattern spells out is dropped, what its wildcards match is kept', () => {
  for (const [pattern, expected] of Object.entries(FOUND)) {
    test(pattern, async () => {
      using tree = plant(PROJECT);
      assert.deepEqual(relatives(await find(tree.root, [pattern])), expected);
    });
  }

  test('an absolute pattern', async () => {
    using tree = plant(PROJECT);
    using elsewhere = plant({ 'a.txt': 'a' });
    const matches = await find(tree.root, [tree.at('dist/*/b.js'), elsewhere.at('a.txt'), elsewhere.root]);
    assert.deepEqual(relatives(matches), ['', 'a.txt', 'a/b.js']);
  });

  test('a pattern in the home directory', async context => {
    using tree = plant(PROJECT);
    using home = plant({ 'conf/a/b.txt': '' }, '[home]');
    const before = process.env['HOME'];
    context.after(() => {
      process.env['HOME'] = before;
    });
    process.env['HOME'] = home.root;
    assert.deepEqual(relatives(await find(tree.root, ['~/conf/*'])), ['a/b.txt']);
    assert.deepEqual(relatives(await find(tree.root, ['~'])), ['conf/a/b.txt']);
  });
});

test('a file is described by its paths and its size', async () => {
  using tree = plant(PROJECT);
  const [match] = await find(tree.root, ['dist/*.html']);
  assert.deepEqual(match, {
    pattern: { pattern: 'dist/*.html' },
    root: tree.at('dist'),
    files: [
      {
        path: tree.at('dist/index.html'),
        realPath: tree.at('dist/index.html'),
        relative: 'index.html',
        size: 5,
      },
    ],
    leftOut: [],
    hidden: 0,
  });
});

test('each pattern has its matches, in the order written, also of the same files', async () => {
  using tree = plant(PROJECT);
  const matches = await find(tree.root, ['pages/i*', 'dist/a/*.js', 'dist/a/b.*', 'missing']);
  assert.deepEqual(
    matches.map(match => [match.pattern.pattern, relatives([match])]),
    [
      ['pages/i*', ['i.tsx']],
      ['dist/a/*.js', ['b.js']],
      ['dist/a/b.*', ['b.js']],
      ['missing', []],
    ],
  );
});
