import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTree, dropDebugLines, find, relativePaths } from '../support/file-tree.ts';

dropDebugLines();

const TREE = Object.fromEntries(
  ['a.js', '.env', 'sub/.env', 'sub/b.js', '.next/c.js', '.next/.d/e.js', '.git/config'].map(
    name => [name, ''],
  ),
);

/** By pattern: the files found, and how many there are with include-hidden-files. */
const CASES: Readonly<Record<string, readonly [found: readonly string[], all: number]>> = {
  '**': [['a.js', 'sub/b.js'], 7],
  '**/*.js': [['a.js', 'sub/b.js'], 4],
  '*/*/e.js': [[], 1],
  sub: [['b.js'], 2],
  '.env': [[''], 1],
  // A pattern that begins in a hidden folder still omits hidden entries below that folder.
  '.next': [['c.js'], 2],
  '.next/**': [['c.js'], 2],
  '.next/.d/*': [['e.js'], 1],
  // A part of the pattern at or after the first wildcard matches the dot, so nothing is omitted.
  '**/.env': [['.env', 'sub/.env'], 2],
  '**/[.]env': [['.env', 'sub/.env'], 2],
  '.*': [['.env', '.git/config', '.next/.d/e.js', '.next/c.js'], 4],
};

for (const [pattern, [found, count]] of Object.entries(CASES)) {
  test(`a pattern omits hidden files unless it names them or include-hidden-files is true [${pattern}]`, async () => {
    using tree = createTree(TREE);
    assert.deepEqual(relativePaths(await find(tree.root, [pattern])), found);
    const all = await find(tree.root, [pattern], { includeHiddenFiles: true });
    assert.equal(relativePaths(all).length, count);
  });
}

test('hidden folders above the root of a pattern hide nothing', async () => {
  using tree = createTree(TREE, '.cache/x');
  assert.deepEqual(relativePaths(await find(tree.root, ['*.js'])), ['a.js']);
  const inNext = await find(tree.root, ['**'], { workingDirectory: '.next' });
  assert.deepEqual(relativePaths(inNext), ['c.js']);
});
