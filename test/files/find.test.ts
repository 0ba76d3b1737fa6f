import assert from 'node:assert/strict';
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { identityOf } from '../../src/agent/read-file.ts';
import { findFiles } from '../../src/files/find.ts';
import { canBeNamed, onWindows, WINDOWS } from '../system.ts';
import { find, link, PROJECT, plant, relatives, rules, USUAL } from './tree.ts';

const toSlashes = (file: string) => file.replaceAll(path.sep, '/');

const FOUND: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['dist/**', 'dist', 'dist/', './dist/**', 'dist/*'].map(all => [
      all,
      ['a/b.js', 'a/c.map', 'index.html'],
    ]),
  ),
  ...Object.fromEntries(
    ['dist/index.html', 'pages/[[]id].tsx', 'my file.txt'].map(file => [file, ['']]),
  ),
  ...Object.fromEntries(
    ['missing', 'dist/*.none', 'empty', 'my file.txt/*', 'my file.txt/x/**', '*/x/y'].map(no => [
      no,
      [],
    ]),
  ),
  'dist/*.html': ['index.html'],
  'dist/**/*.js': ['a/b.js'],
  'packages/*/dist/**': ['bar/dist/z.js', 'foo/dist/x.js'],
  'packages/*/dist': ['bar/dist/z.js', 'foo/dist/x.js'],
  'packages/f*': ['foo/dist/x.js', 'foo/src/y.ts'],
  'packages/foo/**/y.ts': ['src/y.ts'],
  '**/x.js': ['packages/foo/dist/x.js'],
  'pages/[id].tsx': ['i.tsx'],
  'my*': ['my file.txt'],
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
    const matches = await find(tree.root, [
      tree.at('dist/*/b.js'),
      elsewhere.at('a.txt'),
      elsewhere.root,
    ]);
    assert.deepEqual(relatives(matches), ['', 'a.txt', 'a/b.js']);
  });

  test('a pattern in the home directory', async context => {
    using tree = plant(PROJECT);
    using home = plant({ 'conf/a/b.txt': '' }, '[home]');
    const variable = WINDOWS ? 'USERPROFILE' : 'HOME';
    const before = process.env[variable];
    context.after(() => {
      process.env[variable] = before;
    });
    process.env[variable] = home.root;
    assert.deepEqual(relatives(await find(tree.root, ['~/conf/*'])), ['a/b.txt']);
    assert.deepEqual(relatives(await find(tree.root, ['~'])), ['conf/a/b.txt']);
  });
});

test('each pattern has its matches, in the order written, also of the same files', async () => {
  using tree = plant(PROJECT);
  const matches = await find(tree.root, ['pages/i*', 'dist/*.html', 'dist/index.*', 'missing']);
  const found = matches.map(match => [match.pattern.pattern, ...relatives([match])]);
  assert.deepEqual(found, [
    ['pages/i*', 'i.tsx'],
    ['dist/*.html', 'index.html'],
    ['dist/index.*', 'index.html'],
    ['missing'],
  ]);
  const file = tree.at('dist/index.html');
  const files = [
    {
      path: file,
      realPath: file,
      identity: identityOf(lstatSync(file, { bigint: true })),
      relative: 'index.html',
      size: 5,
      isExecutable: false,
    },
  ];
  const described = {
    pattern: { pattern: 'dist/*.html' },
    root: tree.at('dist'),
    files,
    skipped: [],
    hidden: [],
  };
  assert.deepEqual(matches[1], described);
});

test('excludes apply to every pattern, wherever they stand', async () => {
  const excludes: Readonly<Record<string, readonly string[]>> = {
    '!dist/a': ['dist/index.html', 'index.html', 'packages/foo/dist/x.js'],
    '!**/*.js': ['a/c.map', 'dist/a/c.map', 'dist/index.html', 'index.html'],
    '!./dist/a/**': ['dist/index.html', 'index.html', 'packages/foo/dist/x.js'],
    '!dist': ['packages/foo/dist/x.js'],
    '!dist/': ['packages/foo/dist/x.js'],
  };
  using tree = plant(PROJECT);
  for (const [exclude, expected] of Object.entries(excludes)) {
    const lines = ['dist', exclude, '**/dist/**', '!packages/bar'];
    assert.deepEqual(relatives(await find(tree.root, lines)), expected, exclude);
  }
  assert.deepEqual(relatives(await find(tree.root, ['dist', `!${tree.at('dist/a')}`])), [
    'index.html',
  ]);
});

describe('working-directory', () => {
  test('is where relative patterns and excludes start', async () => {
    using tree = plant(PROJECT);
    const places = [
      'packages/foo',
      './packages/foo/',
      'packages/../packages/foo',
      tree.at('packages/foo'),
    ];
    for (const workingDirectory of places) {
      const [own, other] = await find(tree.root, ['*', '../bar', '!src'], { workingDirectory });
      assert.ok(own !== undefined && other !== undefined);
      assert.deepEqual([relatives([own]), relatives([other])], [['dist/x.js'], ['dist/z.js']]);
    }
  });

  const skip = !canBeNamed('a\nb') && 'such a name cannot be there';
  test('with a line break in its path is an error: the library takes it for two patterns', {
    skip,
  }, async () => {
    using tree = plant(PROJECT, 'a\nb');
    const message =
      /^working-directory: the workspace has a line break, or a space at the start or end of its path \(/;
    await assert.rejects(find(tree.root, ['*']), { name: 'InputError', message });
  });

  test('that cannot be used is an error that says why', {
    skip: onWindows('its errors are others'),
  }, async () => {
    using tree = plant({ loop: link('loop') });
    for (const [workingDirectory, code] of [
      ['loop', 'ELOOP'],
      ['n'.repeat(300), 'ENAMETOOLONG'],
    ] as const) {
      const message = new RegExp(
        `^working-directory: ".*" is a directory that cannot be used: ${code} `,
      );
      await assert.rejects(find(tree.root, ['*'], { workingDirectory }), {
        name: 'InputError',
        message,
      });
    }
  });

  test('that is no directory is an error', async () => {
    using tree = plant(PROJECT);
    for (const workingDirectory of ['missing', 'my file.txt']) {
      const why = `"${workingDirectory}" is not a directory on the runner (${tree.at(workingDirectory)})`;
      const message = `working-directory: ${why}. Example: working-directory: packages/app`;
      await assert.rejects(find(tree.root, ['*'], { workingDirectory }), {
        name: 'InputError',
        message,
      });
    }
  });
});

describe('a workspace whose own path', () => {
  for (const name of ['[x]', 'a*b', 'a?b', 'a b', '#a', '!a', 'a\\b', '{a,b}', '.hidden', 'ü']) {
    const skip = !canBeNamed(name) && 'such a name cannot be there';
    test(`holds ${name}`, { skip }, async () => {
      using tree = plant(PROJECT, name);
      assert.deepEqual(relatives(await find(tree.root, ['packages/*/dist', '!packages/bar'])), [
        'foo/dist/x.js',
      ]);
    });
  }

  test('lies behind a link', async () => {
    using tree = plant({
      'real/dist/a.js': '',
      'real/dist/b.js': link('a.js'),
      behind: link('real'),
    });
    const [match] = await find(tree.at('behind'), ['dist/*.js']);
    const found = match?.files.map(file => [file.path, file.realPath]).sort();
    const behind = ['a', 'b'].map(name => [
      tree.at(`behind/dist/${name}.js`),
      tree.at('real/dist/a.js'),
    ]);
    assert.deepEqual(found, behind);
  });
});

test('a search that is cancelled has found nothing', async () => {
  using tree = plant({ 'a/b': '', 'a/c': '' });
  assert.deepEqual(await find(tree.root, ['a'], { cancel: AbortSignal.abort() }), []);
});

const HIDDEN = Object.fromEntries(
  ['a.js', '.env', 'sub/.env', 'sub/b.js', '.next/c.js', '.next/.d/e.js', '.git/config'].map(
    name => [name, ''],
  ),
);

/**
 * By pattern: the files found, the hidden entries, and the number of files if hidden ones are
 * included.
 */
const CASES: Readonly<
  Record<string, readonly [found: readonly string[], hidden: readonly string[], all: number]>
> = {
  ...Object.fromEntries(
    ['**', '*', '.'].map(all => [
      all,
      [['a.js', 'sub/b.js'], ['.env', '.git', '.next', 'sub/.env'], 7] as const,
    ]),
  ),
  ...Object.fromEntries(['.env', './.env', 'sub/.env'].map(file => [file, [[''], [], 1] as const])),
  sub: [['b.js'], ['sub/.env'], 2],
  '.next': [['c.js'], ['.next/.d'], 2],
  '.next/**': [['c.js'], ['.next/.d'], 2],
  '.next/.d/*': [['e.js'], [], 1],
  '**/.env': [['.env', 'sub/.env'], [], 2],
  '.*': [['.env', '.git/config', '.next/c.js'], ['.next/.d'], 4],
  '.e*': [['.env'], [], 1],
  '*/.env': [['sub/.env'], [], 1],
  '**/*env': [[], ['.env', 'sub/.env'], 2],
  '*/e.js': [[], [], 0],
  // A hidden folder is not searched for further matches.
  '*/*/e.js': [[], [], 1],
  '**/*.js': [['a.js', 'sub/b.js'], [], 4],
};

describe('hidden names below what the pattern spells out', () => {
  for (const [pattern, [found, hidden, count]] of Object.entries(CASES)) {
    test(`${pattern}: skipped, a folder once, and included on demand`, async () => {
      using tree = plant(HIDDEN);
      const visible = await find(tree.root, [pattern]);
      const entries = visible[0]?.hidden.map(entry => path.relative(tree.root, entry.path));
      assert.deepEqual([relatives(visible), entries?.map(toSlashes)], [found, hidden]);
      const all = await find(tree.root, [pattern], { includeHiddenFiles: true });
      assert.deepEqual([relatives(all).length, all[0]?.hidden.length], [count, 0]);
    });
  }

  test('a directory above the pattern hides nothing, be it working-directory', async () => {
    using tree = plant(HIDDEN, '.cache/x');
    assert.deepEqual(relatives(await find(tree.root, ['*.js'])), ['a.js']);
    assert.deepEqual(relatives(await find(tree.root, ['**'], { workingDirectory: '.next' })), [
      'c.js',
    ]);
  });

  test('a hidden folder that excludes name is not entered, and they are of use', async () => {
    using tree = plant({ ...HIDDEN, '.git/objects/a/b': '' });
    const lines = ['**', '!.git/objects/**', '!.next', '!*/.env'];
    const { warnings } = await findFiles(rules(lines), { ...USUAL, workspace: tree.root });
    assert.deepEqual(warnings, []);
  });

  test('excluded ones are not counted', async () => {
    using tree = plant(HIDDEN);
    assert.deepEqual(relatives(await find(tree.root, ['**/.*', '!**/.env', '!.next'])), [
      '.git/config',
    ]);
    assert.equal((await find(tree.root, ['**/*env', '!sub']))[0]?.hidden.length, 1);
  });
});
