import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { pathWithin } from '../../src/files/paths.ts';
import {
  createTree,
  dropDebugLines,
  find,
  link,
  plan,
  relativePaths,
  skippedReasons,
  type Tree,
} from '../support/file-tree.ts';
import { SKIP_WITHOUT_SYMLINKS } from '../support/system.ts';

dropDebugLines();

type Links = Readonly<Record<string, string>>;

const SKIP = { skip: SKIP_WITHOUT_SYMLINKS };

/** Creates a workspace `w` with files and these links, and more files next to it. */
function createLinkedTree(links: Links): Tree {
  const visible = ['w/a.txt', 'w/dir/b.txt', 'outside/secret', 'outside/sub/c.txt', 'w2/d.txt'];
  const files = [...visible, 'w/.env', 'w/.git/config'];
  return createTree({
    ...Object.fromEntries(files.map(file => [file, file])),
    ...Object.fromEntries(Object.entries(links).map(([name, end]) => [`w/${name}`, link(end)])),
  });
}

/** `found` has the real path of a file, or why a link is skipped. */
type Case = readonly [links: Links, lines: string, found: Links, followSymlinks?: boolean];

const B = { 'dir/b.txt': 'w/dir/b.txt' };
const IN_L = { 'l/b.txt': 'w/dir/b.txt' };
const SKIPPED = { ...B, 'dir/l': 'a link to a folder' };

const CASES: Readonly<Record<string, Case>> = {
  'to a file': [{ 'dir/l': '../a.txt' }, 'dir', { ...B, 'dir/l': 'w/a.txt' }],
  'out of the workspace and in again': [{ l: '../outside/../w/a.txt' }, 'l', { l: 'w/a.txt' }],
  'to a folder with follow-symlinks: true': [{ l: 'dir' }, 'l*', IN_L, true],
  'to a folder above the root': [{ l: '.' }, 'l/dir/*', { 'l/dir/b.txt': 'w/dir/b.txt' }],
  'to a folder above': [{ 'dir/up': '..' }, 'dir', { ...B, 'dir/up/a.txt': 'w/a.txt' }, true],
  'to a folder with follow-symlinks: false': [{ 'dir/l': '.' }, 'dir', SKIPPED, false],
  'that is broken': [{ 'dir/l': 'none' }, 'dir', { ...B, 'dir/l': 'a broken link' }],
  'to a folder that is excluded': [{ 'dir/l': '.', 'dir/m/l': '..' }, 'dir,!**/l', B],
  'to a folder if its own name is hidden': [{ 'dir/.l': '.' }, 'dir', B],
  'out of the workspace that is excluded': [{ 'dir/l': '../../outside' }, 'dir,!**/l', B],
};

for (const [name, [links, lines, found, followSymlinks]] of Object.entries(CASES))
  test(`a link is sent, followed, skipped or ignored [${name}]`, SKIP, async () => {
    using tree = createLinkedTree(links);
    const matches = await find(tree.at('w'), lines.split(','), { followSymlinks });
    const files = matches.flatMap(match => match.files);
    const real = files.map(file => [file.source, path.relative(tree.root, file.realPath)]);
    const all = { ...Object.fromEntries(real), ...skippedReasons(matches) };
    assert.deepEqual(all, found);
  });

test('links above the workspace are ignored', SKIP, async () => {
  using tree = createTree({ 'real/w/a.js': '', 'real/w/b.js': link('a.js'), up: link('real') });
  const [match] = await find(tree.at('up/w'), ['*.js']);
  const found = match?.files.map(file => [file.source, file.realPath]);
  const real = tree.at('real/w/a.js');
  assert.deepEqual(found, [
    ['a.js', real],
    ['b.js', real],
  ]);
});

const LINKS_OUTSIDE = {
  '../outside/l': 'sub/c.txt',
  '../outside/m': '../w/a.txt',
  '../outside/sub/n': '../secret',
  '../o': 'outside',
};

// Regular expressions for the messages about links, before the list of links.
const TO_FOLDER =
  'follow-symlinks: is not set, .* Or exclude them with ! lines, or send an archive: .*';
const OUTSIDE = 'files: links lead outside the workspace\\. Exclude them with ! lines, or copy .*';
const HIDDEN = 'files: links lead to something hidden\\. Exclude them with ! lines, or send .*';

const TO_TWO = { 'dir/l': '../../outside/secret', 'dir/m': '../../w2' };
const IN_GIT = { '.git/x': 'config', '.git/y': '../.env' };
const CHAIN = { 'dir/l': '../../outside', '../outside/sub/m': '../../w2' };

/** `names` is a regular expression for the links that the message lists. */
type Forbidden = readonly [
  links: Links,
  lines: string,
  says: string,
  names: string,
  followSymlinks?: boolean,
];

const FORBIDDEN: Readonly<Record<string, Forbidden>> = {
  'to a folder, named once': [{ 'dir/l': '.' }, 'dir,**', TO_FOLDER, '"dir/l" to "dir"'],
  'to a folder that is the root': [{ l: 'dir' }, 'l/*.txt', TO_FOLDER, '"l" to "dir"'],
  'to the outside': [{ l: '../outside/secret' }, '*', OUTSIDE, '"l" to .*outside/secret"'],
  'to the outside, as the deepest link': [CHAIN, 'dir/l/sub/m/*', OUTSIDE, '".*/m" to .*"', true],
  'to the outside, with others': [TO_TWO, 'dir', OUTSIDE, '"dir/l" to .*, "dir/m" to .*w2"', true],
  'out of a root outside': [LINKS_OUTSIDE, '../outside/sub', OUTSIDE, '".*/n" to .*/secret"', true],
  'that is a root outside': [LINKS_OUTSIDE, '../o', OUTSIDE, '".*/o" to .*outside".*', true],
  'to a hidden file': [{ 'dir/y': '../.env' }, 'dir/**', HIDDEN, '"dir/y" to ".env"'],
  'to a hidden file, beside a good link': [IN_GIT, '.git/**', HIDDEN, '".git/y" to ".env"'],
};

for (const [name, [links, lines, says, names, followSymlinks]] of Object.entries(FORBIDDEN))
  test(`a link that may not be sent is an error [${name}]`, SKIP, async () => {
    using tree = createLinkedTree(links);
    const message = new RegExp(`^${says}\\. Links: ${names}\\.$`);
    const patterns = [...lines.split(','), '../outside/none'];
    const planning = plan(tree.at('w'), patterns, { followSymlinks });
    await assert.rejects(planning, { name: 'InputError', message });
  });

test(
  'forbidden links, useless excludes and unmatched patterns are reported at once',
  SKIP,
  async () => {
    using tree = createLinkedTree({ l: 'dir', m: '../outside/secret' });
    const planning = plan(tree.at('w'), ['l', 'm', 'none', '!useless'], {
      ifNoFilesFound: 'error',
    });
    const starts = [
      'follow-symlinks: is not',
      'files: links',
      'files: "!useless"',
      'files: "none"',
    ];
    const message = RegExp(`^${starts.map(start => `${start}.*`).join('\n')}$`);
    await assert.rejects(planning, { name: 'InputError', message });
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
    /hidden\. .{0,20} ! lines, let pnpm install with node-linker=hoisted, or send an archive: .{0,80} Links: "out\/node_modules\/x" to "out\/node_modules\/\.pnpm\/x@1\/node_modules\/x"\.$/;
  await assert.rejects(plan(tree.root, ['out'], { followSymlinks: true }), { message: says });
});

test('a link to a hidden file is sent with include-hidden-files', SKIP, async () => {
  using tree = createLinkedTree({ 'dir/y': '../.env' });
  const found = await find(tree.at('w'), ['dir'], { includeHiddenFiles: true });
  assert.deepEqual(relativePaths(found), ['b.txt', 'y']);
});

test(
  'a pattern outside the workspace takes links into its root or the workspace',
  SKIP,
  async () => {
    using tree = createLinkedTree(LINKS_OUTSIDE);
    const found = relativePaths(await find(tree.at('w'), ['../outside']));
    assert.deepEqual(found, ['l', 'm', 'secret', 'sub/c.txt', 'sub/n']);
  },
);

test('pathWithin returns undefined for a path outside the directory', SKIP, () => {
  const rows = { '/a': '', '/a/b': 'b', '/a/..b': '..b', '/ab': undefined, '/': undefined };
  for (const [file, within] of Object.entries(rows)) assert.equal(pathWithin('/a', file), within);
});
