import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { describe, test } from 'node:test';
import { onWindows } from '../system.ts';
import { directory, find, link, plant, relatives, skipped } from './tree.ts';

const TREE = Object.fromEntries(
  ['a.js', '.env', 'sub/.env', 'sub/b.js', '.next/c.js', '.next/.d/e.js', '.git/config'].map(
    name => [name, ''],
  ),
);

/** By pattern: what it finds, and how much with include-hidden-files. */
const CASES: Readonly<Record<string, readonly [found: readonly string[], all: number]>> = {
  '**': [['a.js', 'sub/b.js'], 7],
  '*': [['a.js', 'sub/b.js'], 7],
  '.': [['a.js', 'sub/b.js'], 7],
  '**/*.js': [['a.js', 'sub/b.js'], 4],
  '**/*env': [[], 2],
  '*/*/e.js': [[], 1],
  sub: [['b.js'], 2],
  '.env': [[''], 1],
  'sub/.env': [[''], 1],
  // The root is hidden, and what is hidden below it stays out.
  '.next': [['c.js'], 2],
  '.next/**': [['c.js'], 2],
  '.next/.d/*': [['e.js'], 1],
  // A wildcard part with a dot name: nothing is hidden.
  '**/.env': [['.env', 'sub/.env'], 2],
  '**/[.]env': [['.env', 'sub/.env'], 2],
  '*/.env': [['sub/.env'], 1],
  '.e*': [['.env'], 1],
  '.*': [['.env', '.git/config', '.next/.d/e.js', '.next/c.js'], 4],
};

describe('a name below the root that starts with a dot is left out', () => {
  for (const [pattern, [found, count]] of Object.entries(CASES)) {
    test(pattern, async () => {
      using tree = plant(TREE);
      assert.deepEqual(relatives(await find(tree.root, [pattern])), found);
      const all = await find(tree.root, [pattern], { includeHiddenFiles: true });
      assert.equal(relatives(all).length, count);
    });
  }

  test('but not one above it, be it the working directory', async () => {
    using tree = plant(TREE, '.cache/x');
    assert.deepEqual(relatives(await find(tree.root, ['*.js'])), ['a.js']);
    const inNext = await find(tree.root, ['**'], { workingDirectory: '.next' });
    assert.deepEqual(relatives(inNext), ['c.js']);
  });

  test('and not entered', {
    skip: process.getuid?.() === 0 ? 'root reads all' : onWindows('it has no modes'),
  }, async () => {
    using tree = plant({ 'a/f': '', 'a/.shut': directory });
    chmodSync(tree.at('a/.shut'), 0);
    assert.deepEqual(relatives(await find(tree.root, ['a/**'])), ['f']);
    // Only a folder that can be read can be removed with the tree.
    chmodSync(tree.at('a/.shut'), 0o700);
  });
});

/** By pattern: links, what is found, and what is skipped. */
const LINKS: Readonly<
  Record<string, readonly [links: Readonly<Record<string, string>>, found: string[], out: string[]]>
> = {
  'sub/**': [{ 'sub/y': '../.env' }, ['b.js'], ['sub/y']],
  // A name is hidden only if it starts with a dot below what the link and its end share.
  '.next/**': [{ '.next/x': 'c.js', '.next/y': '../.env' }, ['c.js', 'x'], ['.next/y']],
  '.next/.d/*': [{ '.next/.d/x': '../c.js' }, ['e.js', 'x'], []],
  'conf.env': [{ 'conf.env': '.env' }, [], ['conf.env']],
  '*/.env': [{ 'sub/.env2': 'b.js' }, ['sub/.env'], []],
};

describe('a link to something hidden is skipped like the hidden thing', {
  skip: onWindows('its links are others'),
}, () => {
  for (const [pattern, [links, found, out]] of Object.entries(LINKS)) {
    test(pattern, async () => {
      const ends = Object.entries(links).map(([name, end]) => [name, link(end)] as const);
      using tree = plant({ ...TREE, ...Object.fromEntries(ends) });
      const matches = await find(tree.root, [pattern]);
      const reasons = out.map(file => [file, 'a link to something hidden']);
      assert.deepEqual(relatives(matches), found);
      assert.deepEqual(skipped(matches, tree.root), Object.fromEntries(reasons));
    });
  }

  test('but for a folder, about which the user must decide', async () => {
    using tree = plant({ ...TREE, 'sub/x': link('../.git') });
    await assert.rejects(find(tree.root, ['sub/**']), /follow-symlinks: .*"sub\/x"/);
  });

  test('also if links are followed', async () => {
    using tree = plant({ ...TREE, 'sub/x': link('../.git') });
    const matches = await find(tree.root, ['sub/**'], { followSymlinks: true });
    assert.deepEqual(relatives(matches), ['b.js']);
    assert.ok('sub/x/config' in skipped(matches, tree.root));
  });
});
