import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { Matches } from '../../src/files/find.ts';
import { type Plan, type PlanOptions, planFiles } from '../../src/files/plan.ts';
import { explainNoMatch } from '../../src/files/unmatched.ts';
import type { FoundFile } from '../../src/files/walk.ts';
import { fileRules } from '../../src/inputs/files.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import { parseFields } from '../../src/inputs/inputs.ts';

const WORKSPACE = '/w';

/** A found file; `relative` is what the wildcards matched. */
function source(file: string, relative = '', size = 1): FoundFile {
  const absolute = path.resolve(WORKSPACE, file);
  return {
    path: absolute,
    realPath: absolute,
    identity: `1:${absolute}`,
    relative,
    size,
    isExecutable: false,
  };
}

/** The matches of one line of `files`. */
function matches(line: string, files: readonly FoundFile[], more: Partial<Matches> = {}): Matches {
  const [pattern] = parseFields({ files: fileRules }, { files: line }).files.patterns;
  assert.ok(pattern !== undefined);
  return { pattern, root: WORKSPACE, files, skipped: [], hidden: [], ...more };
}

/** The plan for matches in a workspace at `/w`. */
function planFor(found: readonly Matches[], options: Partial<PlanOptions> = {}): Plan {
  return planFiles(found, {
    workspace: WORKSPACE,
    workingDirectory: '',
    redact: text => text.replaceAll('the-token', '***'),
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

  test('no name is changed', () => {
    for (const name of [
      'a b',
      "a'b",
      'a"b',
      '%41',
      'a#b',
      'a?b',
      'a+b',
      'a&b',
      'ünï',
      'a\nb',
      'a\\b',
      ' a ',
    ]) {
      assert.deepEqual(targetsOf([matches('d/** => t', [source(`d/${name}`, name)])]), [
        `t/${name}`,
      ]);
      assert.deepEqual(targetsOf([matches('x', [source(`d/${name}`)])]), [path.basename(name)]);
    }
  });
});

test('a planned file is described by its source, its real path and its size', () => {
  const linked = { ...source('dist/a', 'a', 7), realPath: '/w/real/a' };
  assert.deepEqual(planFor([matches('dist/**', [linked])]), {
    files: [
      {
        source: 'dist/a',
        realPath: '/w/real/a',
        identity: linked.identity,
        target: 'a',
        size: 7,
        isExecutable: false,
      },
    ],
    skipped: [],
    hidden: [],
    warnings: [],
  });
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
  const skipped = [
    { path: '/w/d/pipe', reason: 'not a regular file' },
    ...['/elsewhere/l', '/w/d/m', '/w/d/n'].map(place => ({
      path: place,
      reason: 'a broken link',
    })),
  ];
  const planned = planFor(
    ['d/**', 'd/*'].map(line => matches(line, [source('d/a', 'a')], { skipped })),
  );
  const named = ['d/pipe', '/elsewhere/l', 'd/m', 'd/n'];
  const renamed = skipped.map(({ reason }, index) => ({ path: named[index], reason }));
  assert.deepEqual(planned.skipped, renamed);
  assert.deepEqual(planned.warnings, [
    'Skipped: "/elsewhere/l" and 2 more, each a broken link.',
    'Skipped: "d/pipe", not a regular file.',
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

  test('is not what two places are', () => {
    const places = { x: ['/x', 'xy/z', 'y/x', '/x/y'], 'x.y': ['x/y'] };
    for (const [one, others] of Object.entries(places))
      for (const other of others)
        assert.deepEqual(refusals(found(one, other)), [], `${one}, ${other}`);
  });
});

describe('a pattern that matches nothing', () => {
  const found = [
    matches('a/**', []),
    matches('b/**', [source('b/x', 'x')]),
    matches('c d => e', []),
  ];
  const messages = ['a/**', 'c d'].map(pattern =>
    explainNoMatch(matches(pattern, []), WORKSPACE, file => file),
  );

  test('is an error, each by its name, a warning, or nothing', () => {
    assert.deepEqual(refusals(found), messages);
    for (const ifNoFilesFound of ['warn', 'ignore'] as const) {
      const { files, warnings } = planFor(found, { ifNoFilesFound });
      assert.deepEqual([warnings, files.length], [ifNoFilesFound === 'warn' ? messages : [], 1]);
    }
    const none = planFor([matches('a', [])], { ifNoFilesFound: 'ignore' });
    assert.deepEqual(none, { files: [], skipped: [], hidden: [], warnings: [] });
  });

  test('says so where it matches hidden names, or all it matches was skipped', () => {
    const skipped = [{ path: '/w/a/l', reason: 'a broken link' }];
    const [hidden, out = ''] = refusals([
      matches('a/**', [], {
        hidden: ['b', 'c'].map(name => ({ path: `/w/a/.${name}`, reason: '' })),
      }),
      matches('a/**', [], { skipped }),
    ]);
    const advice =
      '2 with a name that starts with a dot; set include-hidden-files: true to include them';
    assert.equal(hidden, `"a/**" matches no files to upload (${advice}).`);
    assert.match(
      out,
      /^"a\/\*\*" matches no files to upload \(1 skipped, such as .*a\/l: a broken link\)\.$/,
    );
  });

  test('is reported together with conflicts', () => {
    const wrong = [
      matches('n', []),
      matches('a => x', [source('a')]),
      matches('b => x', [source('b')]),
    ];
    assert.equal(refusals(wrong).length, 2);
  });
});

test('a name that is no text is refused', () => {
  const [message] = refusals([matches('a/**', [source('a/\ud800', '\ud800')])]);
  assert.equal(
    message,
    '"a/\\ud800" has a name that cannot be written as UTF-8. Rename or exclude it.',
  );
});

describe('a name that contains a secret', () => {
  const message = (name: string) =>
    `"${name}" has a name that contains the token or another secret. Rename or exclude it.`;

  test('is refused, and not shown', () => {
    const found = matches('a/**', [
      source('a/x the-token.js', 'x the-token.js'),
      source('a/b', 'b'),
    ]);
    assert.deepEqual(refusals([found]), [message('a/x ***.js')]);
  });

  test('is refused if it is skipped or hidden, since the report lists it', () => {
    for (const kind of ['skipped', 'hidden']) {
      const entries = [{ path: '/w/a/.the-token', reason: '' }];
      const found = matches('a/**', [source('a/b', 'b')], { [kind]: entries });
      assert.deepEqual(refusals([found]), [message('a/.***')]);
    }
  });
});

test('a hidden folder is not mentioned if another pattern takes something in it', () => {
  const hidden = ['.next', '.git', 'a/.env'].map(name => ({ path: `/w/${name}`, reason: 'no' }));
  const found = [
    matches('**', [source('a/b', 'a/b')], { hidden }),
    matches('.next/**', [source('.next/c/d', 'c/d')]),
  ];
  assert.deepEqual(
    planFor(found).hidden.map(entry => entry.path),
    ['.git', 'a/.env'],
  );
});
