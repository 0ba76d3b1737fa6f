import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { test } from 'node:test';
import { WITHOUT_LINKS, WITHOUT_MODES } from '../system.ts';
import { createTree, directory, find, link, relativePaths } from './file-tree.ts';

const TREE = Object.fromEntries(
  ['a.js', '.env', 'sub/.env', 'sub/b.js', '.next/c.js', '.next/.d/e.js', '.git/config'].map(
    name => [name, ''],
  ),
);

/** By pattern: the files found, and their number with include-hidden-files. */
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

for (const [pattern, [found, count]] of Object.entries(CASES)) {
  test(`the pattern ${pattern} omits hidden files unless include-hidden-files is true`, async () => {
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

test('hidden folders are not searched', {
  skip: process.getuid?.() === 0 ? 'root reads all' : WITHOUT_MODES,
}, async () => {
  using tree = createTree({ 'a/f': '', 'a/.shut': directory });
  chmodSync(tree.at('a/.shut'), 0);
  assert.deepEqual(relativePaths(await find(tree.root, ['a/**'])), ['f']);
  // Make it removable.
  chmodSync(tree.at('a/.shut'), 0o700);
});

/** By pattern: the links, and the files found, or the link that is an error. */
const LINKS: Readonly<
  Record<string, readonly [links: Readonly<Record<string, string>>, found: string[] | string]>
> = {
  'sub/**': [{ 'sub/y': '../.env' }, '"sub/y" to ".env"'],
  '.next/**': [{ '.next/x': 'c.js', '.next/y': '../.env' }, '".next/y" to ".env"'],
  '.next/.d/*': [{ '.next/.d/x': '../c.js' }, ['e.js', 'x']],
  'conf.env': [{ 'conf.env': '.env' }, '"conf.env" to ".env"'],
  '*/.env': [{ 'sub/.env2': 'b.js' }, ['sub/.env']],
};

const SKIP = { skip: WITHOUT_LINKS };

for (const [pattern, [links, found]] of Object.entries(LINKS)) {
  test(`the pattern ${pattern} sends no link to a file hidden below its root`, SKIP, async () => {
    const ends = Object.entries(links).map(([name, end]) => [name, link(end)] as const);
    using tree = createTree({ ...TREE, ...Object.fromEntries(ends) });
    const finding = find(tree.root, [pattern]);
    if (typeof found !== 'string') return assert.deepEqual(relativePaths(await finding), found);
    const says = `files: links lead to something hidden: ${found}. Exclude them with ! lines, or `;
    await assert.rejects(finding, (error: Error) => error.message.startsWith(says));
  });
}

test(
  'a link to a hidden file is sent with include-hidden-files, unless excluded',
  SKIP,
  async () => {
    using tree = createTree({ 'sub/a.js': '', '.env': '', 'sub/y': link('../.env') });
    const all = await find(tree.root, ['sub'], { includeHiddenFiles: true });
    assert.deepEqual(relativePaths(all), ['a.js', 'y']);
    assert.deepEqual(relativePaths(await find(tree.root, ['sub', '!sub/y'])), ['a.js']);
  },
);

test('the output of pnpm deploy is an error that names each link once', SKIP, async () => {
  const store = 'out/node_modules/.pnpm/x@1/node_modules/x';
  using tree = createTree({
    'out/index.js': '',
    [`${store}/a.js`]: '',
    [`${store}/b.js`]: '',
    'out/node_modules/x': link('.pnpm/x@1/node_modules/x'),
  });
  const says =
    /hidden: "out\/node_modules\/x" to "out\/node_modules\/\.pnpm\/x@1\/node_modules\/x"\. .* ! lines, or let pnpm install with node-linker=hoisted, or send an archive/;
  await assert.rejects(find(tree.root, ['out'], { followSymlinks: true }), { message: says });
});

test('a link to a hidden folder needs a decision about follow-symlinks', SKIP, async () => {
  using tree = createTree({ ...TREE, 'sub/x': link('../.git') });
  await assert.rejects(find(tree.root, ['sub/**']), /follow-symlinks: .*"sub\/x"/);
});

test('a followed link to a hidden folder is an error', SKIP, async () => {
  using tree = createTree({ ...TREE, 'sub/x': link('../.git') });
  const finding = find(tree.root, ['sub/**'], { followSymlinks: true });
  await assert.rejects(finding, /files: links lead to something hidden: "sub\/x" to "\.git"\./);
});
