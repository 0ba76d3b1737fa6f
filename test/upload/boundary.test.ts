import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { boundary } from '../../src/upload/boundary.ts';
import { isInside } from '../../src/upload/paths.ts';
import { link, plant } from './tree.ts';

const CASES: readonly (readonly [string, string, boolean])[] = [
  ['/a', '/a', true],
  ['/a', '/a/b/c', true],
  ['/a', '/a/..b', true],
  ['/a', '/a/...', true],
  ['/a', '/ab', false],
  ['/a', '/', false],
  ['/a/b', '/a', false],
  ['/a/b', '/a/c', false],
  ['/', '/a', true],
  ['/a', '/a/../b', false],
  ['/a', '/a/b/../..', false],
  ['/a', '/a//b', true],
];

describe('isInside', { skip: process.platform === 'win32' }, () => {
  for (const [directory, file, expected] of CASES) {
    test(`${file} is ${expected ? '' : 'not '}inside ${directory}`, () => {
      assert.equal(isInside(directory, file), expected);
    });
  }
});

describe('boundary', () => {
  const entries = { 'w/a': '', 'w/l': link('a'), 'w/out': link('../x'), x: '', 'r/b': '', 'r/l': link('b') };

  test('a file inside is its own real path', () => {
    using tree = plant(entries);
    assert.equal(boundary(tree.at('w'), tree.at('w'))(tree.at('w/a'), false), tree.at('w/a'));
  });

  test('a link inside is where it ends', () => {
    using tree = plant(entries);
    assert.equal(boundary(tree.at('w'), tree.at('w'))(tree.at('w/l'), true), tree.at('w/a'));
  });

  test('a root outside the workspace is a second bound', () => {
    using tree = plant(entries);
    const resolve = boundary(tree.at('w'), tree.at('r'));
    assert.equal(resolve(tree.at('r/l'), true), tree.at('r/b'));
    assert.throws(() => resolve(tree.at('w/out'), true), { name: 'InputError' });
  });

  test('a root inside the workspace that is a link out is no bound', () => {
    using tree = plant({ ...entries, 'w/r': link('../r') });
    const resolve = boundary(tree.at('w'), tree.at('w/r'));
    assert.throws(
      () => resolve(tree.at('w/r/b'), false),
      /w[\\/]r is a link to .*[\\/]r, outside the workspace/,
    );
  });

  test('a link above the workspace is not the one that leads out', () => {
    using tree = plant({ ...entries, 'behind/w/dir/a': '', up: link('behind') });
    symlinkSync('../../x', tree.at('behind/w/out'));
    const resolve = boundary(tree.at('up/w'), tree.at('up/w'));
    assert.equal(resolve(tree.at('up/w/dir/a'), false), tree.at('behind/w/dir/a'));
    assert.throws(() => resolve(tree.at('up/w/out'), true), { message: /up[\\/]w[\\/]out is a link to/ });
    symlinkSync('../../r', tree.at('behind/w/away'));
    assert.throws(() => resolve(tree.at('up/w/away/b'), false), {
      message: /up[\\/]w[\\/]away is a link to/,
    });
  });

  test('the message says what to do', () => {
    using tree = plant(entries);
    const resolve = boundary(tree.at('w'), tree.at('w'));
    assert.throws(() => resolve(tree.at('w/out'), true), {
      message: `files: ${tree.at('w/out')} is a link to ${tree.at('x')}, outside the workspace. Exclude it with a ! line, or copy what it leads to into the workspace.`,
    });
  });
});
