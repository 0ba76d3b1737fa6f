import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pathWithin } from '../../src/upload/sources.ts';
import { find, link, plant, relatives } from './tree.ts';

const CASES: readonly (readonly [directory: string, file: string, within: string | undefined])[] = [
  ['/a', '/a', ''],
  ['/a', '/a/b/c', 'b/c'],
  ['/a', '/a/..b', '..b'],
  ['/a', '/a/...', '...'],
  ['/a', '/ab', undefined],
  ['/a', '/', undefined],
  ['/a/b', '/a', undefined],
  ['/a/b', '/a/c', undefined],
  ['/', '/a', 'a'],
  ['/a', '/a/../b', undefined],
  ['/a', '/a/b/../..', undefined],
  ['/a', '/a/b/../c', 'c'],
];

describe('the path within a directory', { skip: process.platform === 'win32' }, () => {
  for (const [directory, file, within] of CASES) {
    test(`${directory} of ${file} is ${within}`, () => assert.equal(pathWithin(directory, file), within));
  }
});

describe('where a link above the workspace leads elsewhere', { skip: process.platform === 'win32' }, () => {
  const entries = { 'behind/w/dir/a': '', x: '', 'r/b': '', up: link('behind') };

  test('it is not the one that leads out', async () => {
    using tree = plant(entries);
    assert.deepEqual(relatives(await find(tree.at('up/w'), ['**'])), ['dir/a']);
  });

  for (const [name, end] of Object.entries({ out: '../../x', away: '../../r' })) {
    test(`the one that does is named, ${name}`, async () => {
      using tree = plant({ ...entries, [`behind/w/${name}`]: link(end) });
      const message = new RegExp(`/up/w/${name} is a link to .*, outside the workspace\\. Exclude it with a ! line`);
      await assert.rejects(find(tree.at('up/w'), ['**']), { name: 'InputError', message });
    });
  }
});
