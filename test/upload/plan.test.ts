import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matches, planFor, source, targetOf } from './planned.ts';

interface Mapping {
  readonly line: string;
  /** What the wildcards matched; empty where the pattern spells out the file. */
  readonly kept?: string;
  readonly target?: string;
  readonly lands: string;
}

const MAPPINGS: readonly Mapping[] = [
  { line: 'dist/**', kept: 'a/b.js', lands: 'a/b.js' },
  { line: 'dist/**', kept: 'a/b.js', target: 'app', lands: 'app/a/b.js' },
  { line: 'dist/**', kept: 'a/b.js', target: 'app/', lands: 'app/a/b.js' },
  { line: 'dist/**', kept: 'a/b.js', target: '.', lands: 'a/b.js' },
  { line: 'dist/**', kept: 'a/b.js', target: '/srv/www', lands: '/srv/www/a/b.js' },
  { line: 'dist/**', kept: 'a/b.js', target: '/', lands: '/a/b.js' },
  { line: 'dist/** => app', kept: 'a/b.js', lands: 'app/a/b.js' },
  { line: 'dist/** => app/', kept: 'a/b.js', lands: 'app/a/b.js' },
  { line: 'dist/** => app/x.js', kept: 'a/b.js', lands: 'app/x.js/a/b.js' },
  { line: 'dist/** => .', kept: 'a/b.js', target: 'app', lands: 'a/b.js' },
  { line: 'dist/** => ./', kept: 'a/b.js', target: 'app', lands: 'a/b.js' },
  { line: 'dist/** => /srv', kept: 'a/b.js', target: 'app', lands: '/srv/a/b.js' },
  { line: 'dist/** => /', kept: 'a/b.js', lands: '/a/b.js' },
  { line: 'dist/** => my app', kept: 'a b.js', lands: 'my app/a b.js' },
  { line: 'a/f.txt', lands: 'f.txt' },
  { line: 'a/f.txt', target: 'app', lands: 'app/f.txt' },
  { line: 'a/f.txt', target: 'app/', lands: 'app/f.txt' },
  { line: 'a/f.txt', target: '/srv', lands: '/srv/f.txt' },
  { line: 'a/f.txt => g.txt', target: 'app', lands: 'g.txt' },
  { line: 'a/f.txt => etc/g', target: 'app', lands: 'etc/g' },
  { line: 'a/f.txt => etc/', lands: 'etc/f.txt' },
  { line: 'a/f.txt => /etc/g', lands: '/etc/g' },
  { line: 'a/f.txt => /etc/', lands: '/etc/f.txt' },
  { line: 'a/f.txt => /', lands: '/f.txt' },
  { line: 'a/f.txt => .', target: 'app', lands: 'f.txt' },
  { line: 'a/f.txt => ./', target: 'app', lands: 'f.txt' },
  { line: 'a/f.txt => etc/.', lands: 'etc/f.txt' },
  { line: 'a/f.txt => ./g', lands: 'g' },
  { line: 'a/f.txt => etc//x/./g', lands: 'etc/x/g' },
  { line: 'a/f.txt => .env', lands: '.env' },
  { line: 'a/f.txt => my file.txt', lands: 'my file.txt' },
];

describe('where a file lands', () => {
  for (const { line, kept = '', target = '', lands } of MAPPINGS) {
    const file = kept === '' ? source('a/f.txt') : source(`dist/${kept}`, kept);
    test(`${line}, ${kept || 'one file'}, target ${JSON.stringify(target)}`, () => {
      assert.equal(targetOf(line, file, target), lands);
    });
  }

  for (const name of ['a b', "a'b", 'a"b', '%41', 'a#b', 'a?b', 'a+b', 'a&b', 'ünï', 'a\nb', 'a\\b', ' a ']) {
    test(`the name ${JSON.stringify(name)} is unchanged`, () => {
      assert.equal(targetOf('d/** => t', source(`d/${name}`, name)), `t/${name}`);
      assert.equal(targetOf('x', source(`d/${name}`)), name);
    });
  }
});

test('a planned file is described by its source, its real path and its size', () => {
  const linked = { ...source('dist/a', 'a', 7), realPath: '/w/real/a' };
  assert.deepEqual(planFor([matches('dist/**', [linked])]), {
    files: [{ source: 'dist/a', realPath: '/w/real/a', target: 'a', size: 7 }],
    leftOut: [],
    warnings: [],
  });
});

test('a source outside the workspace has its absolute path', () => {
  const [inside, outside] = planFor([matches('../x/**', [source('..a/b', 'b'), source('/x/c', 'c')])]).files;
  assert.equal(inside?.source, '..a/b');
  assert.equal(outside?.source, '/x/c');
});

test('the files stand in the order found', () => {
  const found = [matches('b/**', [source('b/2', '2'), source('b/1', '1')]), matches('a/**', [source('a/3', '3')])];
  assert.deepEqual(
    planFor(found).files.map(({ target }) => target),
    ['2', '1', '3'],
  );
});

test('the same source twice for a target is one upload', () => {
  const found = [
    matches('d/**', [source('d/a', 'a'), source('d/b', 'b')]),
    matches('d/a', [source('d/a')]),
    matches('d/* => .', [source('d/a', 'a')]),
  ];
  assert.deepEqual(
    planFor(found).files.map(({ target }) => target),
    ['a', 'b'],
  );
});

test('the same source for two targets is two uploads', () => {
  const found = [matches('d/a', [source('d/a')]), matches('d/a => b', [source('d/a')])];
  assert.deepEqual(
    planFor(found).files.map(({ target }) => target),
    ['a', 'b'],
  );
});

test('what was left out is named once, as a source is', () => {
  const leftOut = [
    { path: '/w/d/pipe', reason: 'not a regular file' },
    { path: '/elsewhere/l', reason: 'a broken link' },
  ];
  const file = source('d/a', 'a');
  const found = [matches('d/**', [file], { leftOut }), matches('d/*', [file], { leftOut })];
  const planned = planFor(found);
  assert.deepEqual(planned.leftOut, [
    { path: 'd/pipe', reason: 'not a regular file' },
    { path: '/elsewhere/l', reason: 'a broken link' },
  ]);
  assert.deepEqual(planned.warnings, [
    'Left out: "/elsewhere/l", a broken link.',
    'Left out: "d/pipe", not a regular file.',
  ]);
});

test('of many that were left out for one reason, the first is named', () => {
  const leftOut = ['a', 'b', 'c'].map(name => ({ path: `/w/d/${name}`, reason: 'a broken link' }));
  assert.deepEqual(planFor([matches('d/**', [source('d/x', 'x')], { leftOut })]).warnings, [
    'Left out: "d/a" and 2 more, each a broken link.',
  ]);
});
