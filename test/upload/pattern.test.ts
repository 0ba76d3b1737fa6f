import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { describe, test } from 'node:test';
import { anchor, matcher } from '../../src/upload/pattern.ts';

const ANCHORED: readonly (readonly [string, string, string])[] = [
  ['a/**', '/w', '/w/a/**'],
  ['a/', '/w', '/w/a'],
  ['a//', '/w', '/w/a'],
  ['./a', '/w/p', '/w/p/a'],
  ['../a', '/w/p', '/w/a'],
  ['../../a', '/w/p/q', '/w/a'],
  ['./../a', '/w/p', '/w/a'],
  ['.././a', '/w/p', '/w/a'],
  ['.', '/w', '/w'],
  ['./', '/w', '/w'],
  ['..', '/w/p', '/w'],
  ['../..', '/w/p/q', '/w'],
  ['.env', '/w', '/w/.env'],
  ['..a', '/w', '/w/..a'],
  ['.*/a', '/w', '/w/.*/a'],
  ['/abs/*', '/w', '/abs/*'],
  ['/abs/', '/w', '/abs'],
  ['/', '/w', '/'],
  ['a', '/', '/a'],
  ['*', '/w/[x]', '/w/[[]x]/*'],
  ['*', '/w/a*b?c', '/w/a[*]b[?]c/*'],
  ['..', '/w/[x]/p', '/w/[[]x]'],
  ['*', '/w/a\\b', '/w/a\\\\b/*'],
  ['~', '/w', homedir()],
  ['~/a/*', '/w', `${homedir()}/a/*`],
  ['~a', '/w', '/w/~a'],
  ['a/~', '/w', '/w/a/~'],
];

describe('anchor', { skip: process.platform === 'win32' }, () => {
  for (const [pattern, directory, expected] of ANCHORED) {
    test(`${pattern} in ${directory} is ${expected}`, () => {
      assert.equal(anchor(pattern, directory), expected);
    });
  }
});

const WANTED: readonly (readonly [string, string, boolean])[] = [
  ['/w/a', '/w/a', true],
  ['/w/a', '/w/a/b/c', true],
  ['/w/a', '/w/ab', false],
  ['/w/*', '/w/.a', true],
  ['/w/**', '/w/a/.b/c', true],
  ['/w/*.js', '/w/a/b.js', false],
  ['/w/*.js', '/w/a.js/b', true],
  ['/w/[[]id].tsx', '/w/[id].tsx', true],
  ['/w/[id].tsx', '/w/i.tsx', true],
  ['/w/{a,b}', '/w/a', false],
  ['/w/{a,b}', '/w/{a,b}', true],
  ['/w/+(a)', '/w/a', false],
  ['/w/#a', '/w/#a', true],
];

describe('matcher.wants', () => {
  for (const [pattern, file, expected] of WANTED) {
    test(`${pattern} ${expected ? 'wants' : 'leaves'} ${file}`, () => {
      assert.equal(matcher(pattern, []).wants(file), expected);
    });
  }

  test('an exclude goes for what lies below it too, and for hidden names', () => {
    const { wants } = matcher('/w/**', ['/w/no', '/w/*.map']);
    const files = ['/w/no', '/w/no/a', '/w/no/.b/c', '/w/.a.map', '/w/a/b.map', '/w/nob'];
    assert.deepEqual(files.filter(wants), ['/w/a/b.map', '/w/nob']);
  });
});

const HIDDEN: readonly (readonly [string, string, boolean])[] = [
  ['/w/**', '/w/a', false],
  ['/w/**', '/w/.a', true],
  ['/w/**', '/w/a/.b/c', true],
  ['/w', '/w/.a', true],
  ['/w/.a', '/w/.a', false],
  ['/w/.a/**', '/w/.a/b', false],
  ['/w/.a/**', '/w/.a/.b', true],
  ['/w/**/.env', '/w/a/.env', false],
  ['/w/**/.env', '/w/.a/.env', true],
  ['/w/.*', '/w/.a', false],
  ['/w/.*', '/w/.a/.b', true],
  ['/.w/**', '/.w/a', false],
];

describe('matcher.hides', () => {
  for (const [pattern, file, expected] of HIDDEN) {
    test(`${pattern} ${expected ? 'hides' : 'shows'} ${file}`, () => {
      assert.equal(matcher(pattern, []).hides(file), expected);
    });
  }
});
