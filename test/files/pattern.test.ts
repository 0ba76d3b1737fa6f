import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { describe, test } from 'node:test';
import { anchor, excludesOf, matcherOf } from '../../src/files/pattern.ts';
import { onWindows } from '../system.ts';

const excluding = (patterns: readonly string[]) => excludesOf(patterns, '/').isExcluded;

/** By directory: each pattern, made absolute. */
const ANCHORED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/w': {
    'a/**': '/w/a/**',
    'a/': '/w/a',
    'a//': '/w/a',
    '.': '/w',
    './': '/w',
    '.env': '/w/.env',
    '..a': '/w/..a',
    '.*/a': '/w/.*/a',
    '/abs/*': '/abs/*',
    '/abs/': '/abs',
    '/': '/',
    '~': homedir(),
    '~/a/*': `${homedir()}/a/*`,
    '~a': '/w/~a',
    'a/~': '/w/a/~',
  },
  '/w/p': { './a': '/w/p/a', '../a': '/w/a', './../a': '/w/a', '.././a': '/w/a', '..': '/w' },
  '/w/p/q': { '../../a': '/w/a', '../..': '/w' },
  '/': { a: '/a' },
  '/w/[x]': { '*': '/w/[[]x]/*' },
  '/w/[x]/p': { '..': '/w/[[]x]' },
  '/w/a*b?c': { '*': '/w/a[*]b[?]c/*' },
  '/w/a\\b': { '*': '/w/a\\\\b/*' },
};

describe('anchor', { skip: onWindows('its paths are others') }, () => {
  for (const [directory, patterns] of Object.entries(ANCHORED)) {
    test(`in ${directory}`, () => {
      for (const [pattern, absolute] of Object.entries(patterns))
        assert.equal(anchor(pattern, directory), absolute);
    });
  }
});

/** By pattern: the paths that it wants, and others. */
const WANTED: Readonly<
  Record<string, readonly [wants: readonly string[], leaves: readonly string[]]>
> = {
  '/w/a': [['/w/a', '/w/a/b/c'], ['/w/ab']],
  '/w/*': [['/w/.a'], []],
  '/w/**': [['/w/a/.b/c'], []],
  '/w/*.js': [['/w/a.js/b'], ['/w/a/b.js']],
  '/w/[[]id].tsx': [['/w/[id].tsx'], ['/w/i.tsx']],
  '/w/[id].tsx': [['/w/i.tsx'], ['/w/[id].tsx']],
  '/w/{a,b}': [['/w/{a,b}'], ['/w/a']],
  '/w/+(a)': [['/w/+(a)'], ['/w/a']],
  '/w/#a': [['/w/#a'], []],
};

describe('matcher.wants', () => {
  for (const [pattern, [wants, leaves]] of Object.entries(WANTED)) {
    test(pattern, () =>
      assert.deepEqual(
        [...wants, ...leaves].filter(matcherOf(pattern, excluding([])).wants),
        wants,
      ),
    );
  }

  test('an exclude goes for what lies below it too, and for hidden names', () => {
    const { wants } = matcherOf('/w/**', excluding(['/w/no', '/w/*.map']));
    const files = ['/w/no', '/w/no/a', '/w/no/.b/c', '/w/.a.map', '/w/a/b.map', '/w/nob'];
    assert.deepEqual(files.filter(wants), ['/w/a/b.map', '/w/nob']);
  });
});

/** By pattern: the paths that it hides, and others. */
const HIDDEN: Readonly<
  Record<string, readonly [hides: readonly string[], shows: readonly string[]]>
> = {
  '/w/**': [['/w/.a', '/w/a/.b/c'], ['/w/a']],
  '/w': [['/w/.a'], []],
  '/w/.a': [[], ['/w/.a']],
  '/w/.a/**': [['/w/.a/.b'], ['/w/.a/b']],
  '/w/**/.env': [['/w/.a/.env'], ['/w/a/.env']],
  '/w/.*': [['/w/.a/.b'], ['/w/.a']],
  '/.w/**': [[], ['/.w/a']],
};

describe('matcher.hides', () => {
  for (const [pattern, [hides, shows]] of Object.entries(HIDDEN)) {
    test(pattern, () =>
      assert.deepEqual([...hides, ...shows].filter(matcherOf(pattern, excluding([])).hides), hides),
    );
  }
});
