import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { pathWithin } from '../../src/files/links.ts';
import { onWindows } from '../system.ts';
import { type Entries, find, link, plant, relatives, skipped } from './tree.ts';

type Links = Readonly<Record<string, string>>;

/** Creates a workspace `w` with links, and files beside it. */
function plantLinked(links: Links) {
  const files = ['w/a.txt', 'w/dir/b.txt', 'outside/secret', 'outside/sub/c.txt', 'w2/d.txt'];
  const tree = plant(Object.fromEntries(files.map(file => [file, file])));
  for (const [name, target] of Object.entries(links)) symlinkSync(target, tree.at(`w/${name}`));
  return tree;
}

/** What `lines` find in that workspace. */
async function findWith(
  links: Links,
  lines: readonly string[],
  options: Parameters<typeof find>[2] = {},
) {
  using tree = plantLinked(links);
  const matches = await find(tree.at('w'), lines, options);
  const files = matches.flatMap(match => match.files);
  const real = files.map(file => [
    file.relative,
    path.relative(tree.root, file.realPath).replaceAll(path.sep, '/'),
  ]);
  return { real: Object.fromEntries(real), skipped: skipped(matches), found: relatives(matches) };
}

describe('links that end inside the workspace are followed', () => {
  const cases: Readonly<Record<string, readonly [links: Links, pattern: string, real: Links]>> = {
    'a file': [{ 'dir/l': '../a.txt' }, 'dir', { l: 'w/a.txt', 'b.txt': 'w/dir/b.txt' }],
    'a directory': [{ l: 'dir' }, 'l*', { 'l/b.txt': 'w/dir/b.txt' }],
    'a chain': [{ 'dir/l': 'm', 'dir/m': '../n', n: 'a.txt' }, 'dir/l', { '': 'w/a.txt' }],
    'a way out and in again': [{ l: '../outside/../w/a.txt' }, 'l', { '': 'w/a.txt' }],
    'a parent of the pattern': [{ l: 'dir' }, 'l/*.txt', { 'b.txt': 'w/dir/b.txt' }],
    "the pattern's root, and one below it": [
      { l: 'dir', 'dir/m': '../a.txt' },
      'l',
      { 'b.txt': 'w/dir/b.txt', m: 'w/a.txt' },
    ],
  };
  for (const [name, [links, pattern, expected]] of Object.entries(cases)) {
    test(name, async () => assert.deepEqual((await findWith(links, [pattern])).real, expected));
  }

  test('a cycle of directories, each file found once', async () => {
    const { found } = await findWith({ 'dir/up': '..', 'dir/self': '.' }, ['dir']);
    assert.deepEqual(found, ['b.txt', 'up/a.txt']);
  });
});

describe('links that lead out are an error that names them', () => {
  const cases: Readonly<
    Record<string, readonly [links: Links, pattern: string, from: string, to: string]>
  > = {
    'a file': [{ 'dir/l': '../../outside/secret' }, 'dir/**', 'w/dir/l', 'outside/secret'],
    'a directory': [{ 'dir/l': '../../outside' }, '**', 'w/dir/l', 'outside'],
    'a chain': [{ l: 'm', m: '../outside/secret' }, 'l', 'w/l', 'outside/secret'],
    'a chain of directories': [{ m: '../outside', 'dir/l': '../m' }, 'dir', 'w/dir/l', 'outside'],
    "the pattern's root": [{ l: '../outside' }, 'l/**', 'w/l', 'outside'],
    'a parent of the pattern': [{ l: '../outside' }, 'l/sub/*.txt', 'w/l', 'outside/sub'],
    'a spelt out file behind one': [{ l: '../outside' }, 'l/secret', 'w/l', 'outside'],
    'a hidden one that is spelt out': [
      { '.l': '../outside/secret' },
      '.l',
      'w/.l',
      'outside/secret',
    ],
    'a sibling whose name begins alike': [{ l: '../w2/d.txt' }, 'l', 'w/l', 'w2/d.txt'],
    'where another pattern lies there': [
      { l: '../outside/secret' },
      '../outside\nl',
      'w/l',
      'outside/secret',
    ],
  };
  for (const [name, [links, patterns, from, to]] of Object.entries(cases)) {
    test(name, async () => {
      using tree = plantLinked(links);
      await assert.rejects(
        find(tree.at('w'), ['a.txt', ...patterns.split('\n')]),
        (error: unknown) => {
          assert.ok(error instanceof Error);
          const says = `files: ${tree.at(from)} is a link to ${tree.at(to)}, outside the workspace.`;
          assert.ok(error.message.startsWith(says), error.message);
          return error.name === 'InputError';
        },
      );
    });
  }
});

describe('links that are not followed', () => {
  type Case = readonly [
    links: Links,
    lines: readonly string[],
    named: Links,
    options?: Parameters<typeof find>[2],
  ];
  const off = { followSymlinks: false };
  const [own, broken] = ['a symbolic link', 'a broken link'];
  const cases: Readonly<Record<string, Case>> = {
    'that lead out, excluded': [
      { 'dir/l': '../../outside', 'dir/m': '../../w2/d.txt' },
      ['dir', '!dir/l', '!dir/m'],
      {},
    ],
    'that lead out, hidden': [{ 'dir/.m': '../../outside/secret' }, ['dir'], {}],
    'with follow-symlinks off': [
      {
        'dir/l': '../a.txt',
        'dir/m': '.',
        'dir/n': 'nowhere',
        'dir/o': '../../outside',
        'dir/.l': '../a.txt',
      },
      ['dir'],
      { l: own, m: own, n: own, o: own },
      off,
    ],
    'spelt out, with follow-symlinks off': [{ l: 'a.txt' }, ['l', 'dir'], { l: own }, off],
    broken: [
      { 'dir/l': 'nowhere', 'dir/m': 'l', 'dir/.h': 'nowhere', 'dir/x.map': 'nowhere' },
      ['dir', '!**/*.map'],
      { l: broken, m: broken, '.h': broken },
      { includeHiddenFiles: true },
    ],
    'broken and hidden': [{ 'dir/.l': 'nowhere' }, ['dir'], {}],
    'broken and spelt out': [{ l: 'nowhere' }, ['l', 'dir'], { l: broken }],
    'that lead to themselves, not matched': [{ 'dir/l': 'l' }, ['dir/*.txt'], {}],
    'that lead to themselves, excluded': [{ 'dir/l': 'l' }, ['dir', '!dir/l'], {}],
    'that lead to themselves, with follow-symlinks off': [
      { 'dir/l': 'l' },
      ['dir'],
      { l: own },
      off,
    ],
    'that lead through a file, excluded': [{ 'dir/l': 'b.txt/x' }, ['dir', '!dir/l'], {}],
  };
  for (const [name, [links, lines, named, options]] of Object.entries(cases)) {
    test(name, async () => {
      const { found, skipped } = await findWith(links, lines, options);
      assert.deepEqual([found, skipped], [['b.txt'], named]);
    });
  }

  test('a broken one in a directory without files', async () => {
    using tree = plant({ 'only/l': link('nowhere') });
    assert.deepEqual(skipped(await find(tree.root, ['only/**'])), { l: broken });
  });

  for (const lines of [['dir'], ['dir/l'], ['dir/**/l/*'], ['dir/**/*.txt']]) {
    test(`one that leads to itself is an error for ${lines.join(', ')}`, {
      skip: onWindows('its errors are others'),
    }, async () => {
      const advice = 'The link leads to itself: remove it, or set follow-symlinks: false.';
      const message = new RegExp(`^files: ".*" cannot be searched: ELOOP: .*dir/l'\\. ${advice}$`);
      await assert.rejects(findWith({ 'dir/l': 'l' }, lines), { name: 'InputError', message });
    });
  }
});

describe("a pattern outside the workspace has its own root's bounds", () => {
  const links = {
    '../outside/l': 'sub/c.txt',
    '../outside/m': '../w/a.txt',
    '../outside/sub/n': '../secret',
    '../o': 'outside',
  };

  test('links within it and into the workspace are followed', async () => {
    using tree = plantLinked(links);
    for (const root of [tree.at('outside'), '../outside']) {
      const found = relatives(await find(tree.at('w'), [root]));
      assert.deepEqual(found, ['l', 'm', 'secret', 'sub/c.txt', 'sub/n']);
    }
    assert.deepEqual(relatives(await find(tree.at('w'), [tree.at('outside/m')])), ['']);
  });

  test('links out of it are an error', async () => {
    using tree = plantLinked(links);
    const message = /outside.sub.n is a link to .*outside.secret, /;
    await assert.rejects(find(tree.at('w'), [tree.at('outside/sub')]), message);
    const root = /o is a link to .*outside, outside the workspace/;
    await assert.rejects(find(tree.at('w'), [tree.at('o')]), root);
  });
});

describe('where a link above the workspace leads elsewhere', {
  skip: onWindows('what it says of paths is other'),
}, () => {
  const entries = { 'behind/w/dir/a': '', x: '', 'r/b': '', up: link('behind') };

  test('it is not the one that leads out', async () => {
    using tree = plant(entries);
    assert.deepEqual(relatives(await find(tree.at('up/w'), ['**'])), ['dir/a']);
  });

  for (const [name, end] of Object.entries({ out: '../../x', away: '../../r' })) {
    test(`the one that does is named, ${name}`, async () => {
      using tree = plant({ ...entries, [`behind/w/${name}`]: link(end) });
      const message = new RegExp(
        `/up/w/${name} is a link to .*, outside the workspace\\. Exclude it with a ! line`,
      );
      await assert.rejects(find(tree.at('up/w'), ['**']), { name: 'InputError', message });
    });
  }
});

test('the path within a directory', { skip: onWindows('its paths are others') }, () => {
  const inA = { '/a': '', '/a/b/c': 'b/c', '/a/..b': '..b', '/a/...': '...', '/a/b/../c': 'c' };
  for (const [file, within] of Object.entries(inA))
    assert.equal(pathWithin('/a', file), within, file);
  for (const file of ['/ab', '/', '/a/../b', '/a/b/../..'])
    assert.equal(pathWithin('/a', file), undefined, file);
  assert.deepEqual(
    [pathWithin('/a/b', '/a'), pathWithin('/a/b', '/a/c'), pathWithin('/', '/a')],
    [undefined, undefined, 'a'],
  );
});

describe('links to folders, each behind a wildcard', {
  skip: onWindows('its links are others'),
}, () => {
  const cases: Readonly<
    Record<string, readonly [entries: Entries, pattern: string, found: readonly string[]]>
  > = {
    'in the middle of a pattern': [
      { 'packages/a/dist/x': '', 'real/dist/y': '', 'packages/b': link('../real') },
      'packages/*/dist/**',
      ['a/dist/x', 'b/dist/y'],
    ],
    'that is the last name a pattern spells out': [
      { 'packages/a/dist': link('../../real'), 'real/y': '' },
      'packages/*/dist',
      ['a/dist/y'],
    ],
    'two of them to one folder': [
      { 'w/a': link('../real'), 'w/b': link('../real'), 'real/x': '' },
      'w/**',
      ['a/x', 'b/x'],
    ],
    'one behind another': [
      { 'w/a': link('../one'), 'one/b': link('../two'), 'two/c/x': '' },
      'w/*/*/c/*',
      ['a/b/c/x'],
    ],
    'whose end is called like a pattern': [
      { 'w/a': link('../[x]*'), '[x]*/y': '' },
      'w/**/y',
      ['a/y'],
    ],
    'whose end has a line break in its name, beside one that looks alike': [
      { 'w/a': link('../o\ne'), 'o\ne/x': '', 'o?e/y': '' },
      'w/**',
      ['a/x'],
    ],
    'to the folder above, and to itself': [
      { 'w/up': link('..'), 'w/latest': link('.'), 'w/x': '', 'v/y': '' },
      'w',
      ['up/v/y', 'x'],
    ],
    'to a file where the pattern expects a folder': [
      { 'w/a': link('../x'), x: '', 'w/b/c/d': '' },
      'w/*/c/*',
      ['b/c/d'],
    ],
  };
  for (const [name, [entries, pattern, found]] of Object.entries(cases)) {
    test(name, async () => {
      using tree = plant(entries);
      assert.deepEqual(relatives(await find(tree.root, [pattern])), found);
    });
  }

  test('an error behind one names the path by which it was reached', async () => {
    using tree = plant({ 'w/a': link('../real'), 'real/l': link('l') });
    await assert.rejects(find(tree.root, ['w/**']), { message: /ELOOP: .* '.*\/w\/a\/l'/ });
  });
});
