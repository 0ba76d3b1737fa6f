import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { FoundFile, Matches } from '../../src/files/find.ts';
import { type Plan, type PlanOptions, planFiles } from '../../src/files/plan.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import { parsed } from '../inputs/parsing.ts';

const WORKSPACE = '/w';

/** A found file; `relative` is what the wildcards matched. */
function source(file: string, relative = '', size = 1): FoundFile {
  const absolute = path.resolve(WORKSPACE, file);
  return { path: absolute, realPath: absolute, relative, size, isExecutable: false };
}

/** The matches of one line of `files`. */
function matches(line: string, files: readonly FoundFile[], more: Partial<Matches> = {}): Matches {
  const [pattern] = parsed({ files: line }).files.patterns;
  assert.ok(pattern !== undefined);
  return { pattern, root: WORKSPACE, files: [...files], skipped: [], hidesDotNames: true, ...more };
}

/** The plan for matches in a workspace at `/w`. */
function planFor(found: readonly Matches[], options: Partial<PlanOptions> = {}): Plan {
  return planFiles(found, {
    workspace: WORKSPACE,
    workingDirectory: '',
    target: '',
    ifNoFilesFound: 'error',
    ...options,
  });
}

function targetsOf(found: readonly Matches[], target = ''): string[] {
  return planFor(found, { target }).files.map(file => file.target);
}

/** The messages of a refused plan. */
function refusals(found: readonly Matches[]): string[] {
  try {
    planFor(found);
    return [];
  } catch (error) {
    assert.ok(error instanceof InputError, String(error));
    assert.ok(error.problems.every(({ input }) => input === 'files'));
    return error.problems.map(({ message }) => message);
  }
}

/** By `target`: where lines put dist/a/b.js, matched by a wildcard, or a/f.txt, spelled out. */
const LANDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': {
    'dist/**': 'a/b.js',
    'dist/** => app': 'app/a/b.js',
    'dist/** => app/': 'app/a/b.js',
    'dist/** => app/x.js': 'app/x.js/a/b.js',
    'dist/** => /': '/a/b.js',
    'dist/** => my app': 'my app/a/b.js',
    'a/f.txt': 'f.txt',
    'a/f.txt => etc/': 'etc/f.txt',
    'a/f.txt => /etc/g': '/etc/g',
    'a/f.txt => /etc/': '/etc/f.txt',
    'a/f.txt => /': '/f.txt',
    'a/f.txt => etc/.': 'etc/f.txt',
    'a/f.txt => ./g': 'g',
    'a/f.txt => etc//x/./g': 'etc/x/g',
    'a/f.txt => my file.txt': 'my file.txt',
  },
  app: {
    'dist/**': 'app/a/b.js',
    'dist/** => .': 'app/a/b.js',
    'dist/** => ./': 'app/a/b.js',
    'dist/** => src/a': 'app/src/a/a/b.js',
    'dist/** => /srv': '/srv/a/b.js',
    'a/f.txt': 'app/f.txt',
    'a/f.txt => g.txt': 'app/g.txt',
    'a/f.txt => etc/g': 'app/etc/g',
    'a/f.txt => /etc/g': '/etc/g',
    'a/f.txt => .env': 'app/.env',
    'a/f.txt => .': 'app/f.txt',
    'a/f.txt => ./': 'app/f.txt',
  },
  'app/': { 'dist/**': 'app/a/b.js', 'a/f.txt': 'app/f.txt' },
  '.': { 'dist/**': 'a/b.js' },
  '/srv': {
    'dist/**': '/srv/a/b.js',
    'a/f.txt': '/srv/f.txt',
    'a/f.txt => g': '/srv/g',
    'dist/** => /x': '/x/a/b.js',
  },
  '/': { 'dist/**': '/a/b.js' },
};

describe('where a file lands', () => {
  for (const [target, lines] of Object.entries(LANDS)) {
    for (const [line, lands] of Object.entries(lines)) {
      test(`${line}, target ${JSON.stringify(target)}`, () => {
        const file = line.startsWith('dist') ? source('dist/a/b.js', 'a/b.js') : source('a/f.txt');
        assert.deepEqual(targetsOf([matches(line, [file])], target), [lands]);
      });
    }
  }

  test('with its name unchanged', () => {
    for (const name of ['a b', 'a"b', '%41', 'a#b', 'a?b', 'a&b', 'ünï', 'a\nb', 'a\\b', ' a ']) {
      const below = matches('d/** => t', [source(`d/${name}`, name)]);
      assert.deepEqual(targetsOf([below]), [`t/${name}`]);
    }
  });
});

test('a planned file is described by its source, its real path and its size', () => {
  const linked = { ...source('dist/a', 'a', 7), realPath: '/w/real/a' };
  const { path: _, relative: __, ...rest } = linked;
  const [planned] = planFor([matches('dist/**', [linked])]).files;
  assert.deepEqual(planned, { ...rest, source: 'dist/a', target: 'a' });
  const outside = planFor([matches('../x/**', [source('..a/b', 'b'), source('/x/c', 'c')])]).files;
  const elsewhere = path.resolve('/x/c').replaceAll(path.sep, '/');
  assert.deepEqual([outside[0]?.source, outside[1]?.source], ['..a/b', elsewhere]);
});

test('the files stand in the order found, the same source once for each target', () => {
  const all = matches('d/**', [source('d/b', 'b'), source('d/a', 'a')]);
  const again = [matches('d/a', [source('d/a')]), matches('d/* => .', [source('d/a', 'a')])];
  const other = matches('d/a => c', [source('d/a')]);
  assert.deepEqual(targetsOf([all, ...again, other]), ['b', 'a', 'c']);
});

test('skipped entries are named once, as sources are, with one warning for each reason', () => {
  const entry = (file: string, reason: string) => ({ path: file, reason });
  const skipped = [
    entry('/w/d/pipe', 'not a regular file'),
    entry('/elsewhere/l', 'a broken link'),
    entry('/w/d/m', 'a broken link'),
    entry('/w/d/n', 'a link to a folder'),
  ];
  const both = ['d/**', 'd/*'].map(line => matches(line, [source('d/a', 'a')], { skipped }));
  const plan = planFor(both);
  assert.deepEqual(
    plan.skipped.map(({ path: name }) => name),
    ['d/pipe', '/elsewhere/l', 'd/m', 'd/n'],
  );
  assert.deepEqual(plan.warnings, [
    'Skipped (a broken link): "/elsewhere/l" and 1 more.',
    'Skipped (not a regular file): "d/pipe".',
  ]);
});

const ADVICE = 'Give one line another target, or exclude one.';

describe('two sources for one target', () => {
  test('are an error that names both, quoted, also where the targets are spelt differently', () => {
    const found = [
      matches('a => etc/x', [source('a\n::error::')]),
      matches('b => ./etc//x', [source('b')]),
      matches('c/** => etc/', [source('c/x', 'x')]),
    ];
    assert.deepEqual(refusals(found), [
      `"a\\n::error::" and "b" would both go to "etc/x". ${ADVICE}`,
      `"a\\n::error::" and "c/x" would both go to "etc/x". ${ADVICE}`,
    ]);
  });

  test('are two where the file system knows case', () => {
    const found = [matches('a => x', [source('a')]), matches('A => x', [source('A')])];
    assert.deepEqual(refusals(found), [`"a" and "A" would both go to "x". ${ADVICE}`]);
  });

  test('are one file where the file system knows no case', () => {
    const [whole, spelled] = [
      source('dist/a', 'a'),
      { ...source('DIST/A'), realPath: source('dist/a').realPath },
    ];
    const found = [matches('dist/**', [whole]), matches('DIST/A => a', [spelled])];
    assert.deepEqual(targetsOf(found), ['a']);
  });

  test('so many conflicts are counted', () => {
    const files = (from: string) =>
      Array.from({ length: 25 }, (_, index) => source(`${from}/${index}`, `${index}`));
    const messages = refusals([matches('a/**', files('a')), matches('b/**', files('b'))]);
    assert.deepEqual([messages.length, messages.at(-1)], [11, 'And 15 more of this kind.']);
  });
});

describe('a target that is a file and a directory', () => {
  const found = (one: string, other: string) => [
    matches(`a => ${one}`, [source('a')]),
    matches(`b => ${other}`, [source('b')]),
  ];

  for (const [one, other] of Object.entries({
    x: 'x/y',
    'x/y': 'x',
    y: 'y/1/2/3/x',
    '/x': '/x/y',
  })) {
    test(`is an error: ${one} and ${other}`, () => {
      const ways = [`"a" would go to "${one}"`, `"b" would go to "${other}"`];
      const [file, below] = one.length < other.length ? ways : ways.toReversed();
      const says = `${file} and ${below}: a file cannot also be a directory. ${ADVICE}`;
      assert.deepEqual(refusals(found(one, other)), [says]);
    });
  }

  test('is an error for each file below it, together with files for one target', () => {
    const lines = [
      matches('a => x', [source('a')]),
      matches('d/** => x', [source('d/1', '1'), source('d/e/2', 'e/2')]),
      matches('b => x', [source('b')]),
    ];
    const nested = (file: string, target: string) =>
      `"a" would go to "x" and "${file}" would go to "${target}": a file cannot also be a directory. ${ADVICE}`;
    assert.deepEqual(refusals(lines), [
      nested('d/1', 'x/1'),
      nested('d/e/2', 'x/e/2'),
      `"a" and "b" would both go to "x". ${ADVICE}`,
    ]);
  });

  test('is not what two places are', () => {
    const places = { x: ['/x', 'xy/z', 'y/x', '/x/y'], 'x.y': ['x/y'] };
    for (const [one, others] of Object.entries(places))
      for (const other of others)
        assert.deepEqual(refusals(found(one, other)), [], `${one}, ${other}`);
  });
});

describe('a pattern that matches nothing', () => {
  const skipped = [{ path: '/w/a/l', reason: 'a link to a folder' }];
  const nothing = [matches('a/**', [], { skipped }), matches('c d', [])];
  const found = [...nothing, matches('b/**', [source('b/x', 'x')])];
  const says = (pattern: string) => `${JSON.stringify(pattern)} matches no files to upload (`;
  const areSaid = (messages: readonly string[]) =>
    assert.ok(messages.length === 2 && messages[0]?.startsWith(says('a/**')), messages.join());

  test('is an error, each by its name', () => areSaid(refusals(found)));

  test('is a warning with if-no-files-found: warn', () => {
    const { files, warnings } = planFor(found, { ifNoFilesFound: 'warn' });
    areSaid(warnings);
    assert.equal(files.length, 1);
  });

  test('is nothing with if-no-files-found: ignore', () => {
    const none = planFor([matches('a', [])], { ifNoFilesFound: 'ignore' });
    assert.deepEqual(none, { files: [], skipped: [], warnings: [] });
  });

  test('is reported together with conflicts', () => {
    const two = [matches('a => x', [source('a')]), matches('b => x', [source('b')])];
    assert.equal(refusals([matches('n', []), ...two]).length, 2);
  });
});

/** By line and target: whether the file would land in a folder that has its name. */
const MISTAKEN: readonly (readonly [line: string, target: string, isMistaken: boolean])[] = [
  ['server.js', 'app/server.js', true],
  ['server.js', 'server.js', true],
  ['a/server.js', '/srv/server.js', true],
  ['server.js', 'app/server.js/', false],
  ['server.js', 'app', false],
  ['server.js => server.js', 'app/server.js', false],
  ['server.*', 'app/server.js', false],
];

describe('a target that is named like the only file of a pattern', () => {
  for (const [line, target, isMistaken] of MISTAKEN) {
    test(`${line}, target ${target}: ${isMistaken ? 'an error' : 'fine'}`, () => {
      const relative = line.includes('*') ? 'server.js' : '';
      const file = source(line.startsWith('a/') ? 'a/server.js' : 'server.js', relative);
      const plan = () => planFor([matches(line, [file])], { target });
      if (!isMistaken) return assert.equal(plan().files.length, 1);
      const advice = `write the line "${line} => ${target}" in files`;
      return assert.throws(plan, (error: unknown) => {
        assert.ok(error instanceof InputError);
        assert.ok(error.message.startsWith(`target: "${target}" is a folder`));
        assert.ok(error.message.includes(advice), error.message);
        return true;
      });
    });
  }
});
