import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  createTree,
  dropDebugLines,
  type Entries,
  find,
  link,
  relativePaths,
  skippedReasons,
} from '../support/file-tree.ts';
import { canBeNamed, skipOnWindows, skipUnlessLinux, WINDOWS } from '../support/system.ts';

dropDebugLines();

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
};

const DIST = ['a/b.js', 'a/c.map', 'index.html'];

/** By lines of `files`, separated by commas: the relative paths of the files found. */
const FOUND: Readonly<Record<string, readonly string[]>> = {
  'dist/**': DIST,
  dist: DIST,
  './dist//**': DIST,
  'dist/*': DIST,
  'dist/**/*.js': ['a/b.js'],
  'dist/index.html': [''],
  'packages/*/dist/**': ['bar/dist/z.js', 'foo/dist/x.js'],
  'pages/[[]id].tsx': [''],
  'pages/[id].tsx': ['i.tsx'],
  'dist,!dist/a': ['index.html'],
  'dist,!**/*.js': ['a/c.map', 'index.html'],
  '!dist/a,dist': ['index.html'],
};

for (const [lines, expected] of Object.entries(FOUND))
  test(`lines find files relative to the first wildcard [${lines}]`, async () => {
    using tree = createTree(PROJECT);
    assert.deepEqual(relativePaths(await find(tree.root, lines.split(','))), expected);
  });

test('an absolute pattern finds files outside the workspace', async () => {
  using tree = createTree(PROJECT);
  using elsewhere = createTree({ 'a.txt': 'a', 'b.txt': 'b' });
  const lines = [tree.at('dist/*/b.js'), elsewhere.root, `!${elsewhere.at('b.txt')}`];
  assert.deepEqual(relativePaths(await find(tree.root, lines)), ['a.txt', 'a/b.js']);
});

test('a pattern with ~ finds files in the home directory', async context => {
  using tree = createTree(PROJECT);
  using home = createTree({ 'conf/a/b.txt': '' }, '[home]');
  const variable = WINDOWS ? 'USERPROFILE' : 'HOME';
  const before = process.env[variable];
  context.after(() => {
    process.env[variable] = before;
  });
  process.env[variable] = home.root;
  assert.deepEqual(relativePaths(await find(tree.root, ['~/conf/*'])), ['a/b.txt']);
  assert.deepEqual(relativePaths(await find(tree.root, ['~', '!~/conf'])), []);
});

test('patterns and excludes start at working-directory', async () => {
  using tree = createTree(PROJECT);
  const workingDirectory = './packages/../packages/foo/';
  const matches = await find(tree.root, ['*', '../bar', '!src'], { workingDirectory });
  assert.deepEqual(relativePaths(matches), ['dist/x.js', 'dist/z.js']);
});

test('working-directory must be a directory', async () => {
  using tree = createTree({ ...PROJECT, ...(!WINDOWS && { loop: link('loop') }) });
  const message = /^working-directory: ".*" is not a directory on the runner/;
  for (const workingDirectory of ['missing', 'my file.txt', 'my file.txt/x', 'loop'])
    await assert.rejects(find(tree.root, ['*'], { workingDirectory }), { message });
});

for (const name of ['[x]', 'a*b', 'a?b', 'a b', '#a', '!a', 'a\\b', '{a,b}', 'ü', '-']) {
  const skip = !canBeNamed(name) && 'such a name cannot be there';
  test(`files and workspaces may have names with special characters [${name}]`, {
    skip,
  }, async () => {
    using tree = createTree({ ...PROJECT, [`dir/${name}`]: '' }, name);
    const found = await find(tree.root, ['dir/*', 'packages/*/dist', '!packages/bar']);
    assert.deepEqual(relativePaths(found), [name, 'foo/dist/x.js'].sort());
  });
}

test('a pipe is skipped', { skip: skipOnWindows('files cannot be pipes') }, async () => {
  using tree = createTree({ 'a/pipe': file => execFileSync('mkfifo', [file]) });
  const matches = await find(tree.root, ['a']);
  assert.deepEqual(relativePaths(matches), []);
  assert.deepEqual(skippedReasons(matches), { 'a/pipe': 'not a regular file' });
});

test('a name that is not UTF-8 is an error, whatever follow-symlinks says', {
  skip: skipUnlessLinux('such names need Linux'),
}, async () => {
  const bad = (file: string) => writeFileSync(Buffer.from(`${file}\xff`, 'latin1'), 'x');
  using tree = createTree({ 'a/bad': bad, 'a/good': '' });
  const message = /^ENOENT: .* '.*\/a\/bad\ufffd'/;
  for (const followSymlinks of [undefined, true])
    await assert.rejects(find(tree.root, ['a'], { followSymlinks }), { message });
});

test('a search that is cancelled before its start, or while it runs, finds nothing', async () => {
  using tree = createTree(PROJECT);
  const controller = new AbortController();
  const { signal: cancel } = controller;
  const finding = find(tree.root, ['**'], { cancel });
  controller.abort();
  assert.deepEqual(await finding, []);
  assert.deepEqual(await find(tree.root, ['**'], { cancel }), []);
});

const WITH_HIDDEN = Object.fromEntries(
  ['a.js', '.env', 'sub/.env', 'sub/b.js', '.next/c.js', '.next/.d/e.js', '.git/config'].map(
    name => [name, ''],
  ),
);

/** By pattern: the files found, and how many there are with include-hidden-files. */
const HIDDEN: Readonly<Record<string, readonly [found: readonly string[], all: number]>> = {
  '**': [['a.js', 'sub/b.js'], 7],
  '**/*.js': [['a.js', 'sub/b.js'], 4],
  '.env': [[''], 1],
  // A pattern that begins in a hidden folder still omits hidden entries below that folder.
  '.next': [['c.js'], 2],
  '.next/.d/*': [['e.js'], 1],
  // Here the pattern itself names the dot, at or after its first wildcard, so nothing is omitted.
  '**/.env': [['.env', 'sub/.env'], 2],
  '**/[.]env': [['.env', 'sub/.env'], 2],
  '.*': [['.env', '.git/config', '.next/.d/e.js', '.next/c.js'], 4],
};

for (const [pattern, [found, count]] of Object.entries(HIDDEN)) {
  test(`a pattern omits hidden files unless it names them or include-hidden-files is true [${pattern}]`, async () => {
    using tree = createTree(WITH_HIDDEN);
    assert.deepEqual(relativePaths(await find(tree.root, [pattern])), found);
    const all = await find(tree.root, [pattern], { includeHiddenFiles: true });
    assert.equal(relativePaths(all).length, count);
  });
}

test('hidden folders above the root of a pattern hide nothing', async () => {
  using tree = createTree(WITH_HIDDEN, '.cache/x');
  assert.deepEqual(relativePaths(await find(tree.root, ['*.js'])), ['a.js']);
  const inNext = await find(tree.root, ['**'], { workingDirectory: '.next' });
  assert.deepEqual(relativePaths(inNext), ['c.js']);
});
