import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findWith } from './linked.ts';
import { find, leftOut, link, plant } from './tree.ts';

describe('with follow-symlinks off', () => {
  const options = { followSymlinks: false };
  test('links are left out and named', async () => {
    const links = { 'dir/l': '../a.txt', 'dir/m': '.', 'dir/n': 'nowhere' };
    const result = await findWith(links, ['dir'], options);
    assert.deepEqual(result.found, ['b.txt']);
    const reason = 'a symbolic link';
    assert.deepEqual(result.leftOut, { l: reason, m: reason, n: reason });
  });
  test('so is a spelt out one', async () => {
    const result = await findWith({ l: 'a.txt' }, ['l'], options);
    assert.deepEqual(result, { real: {}, found: [], leftOut: { l: 'a symbolic link' } });
  });
  test('hidden ones are hidden', async () => {
    assert.deepEqual((await findWith({ 'dir/.l': '../a.txt' }, ['dir'], options)).leftOut, {});
  });
});

describe('links that go nowhere', () => {
  test('broken ones are left out', async () => {
    const links = { 'dir/l': 'nowhere', 'dir/m': 'l', 'dir/.h': 'nowhere', 'dir/x.map': 'nowhere' };
    const result = await findWith(links, ['dir', '!**/*.map'], { includeHiddenFiles: true });
    assert.deepEqual(result.found, ['b.txt']);
    const reason = 'a broken link';
    assert.deepEqual(result.leftOut, { l: reason, m: reason, '.h': reason });
  });
  test('a broken one whose name is hidden is hidden', async () => {
    assert.deepEqual((await findWith({ 'dir/.l': 'nowhere' }, ['dir'])).leftOut, {});
  });
  test('a broken one in a directory without files', async () => {
    using tree = plant({ 'only/l': link('nowhere') });
    assert.deepEqual(leftOut(await find(tree.root, ['only/**'])), { l: 'a broken link' });
  });
  test('a spelt out broken one', async () => {
    assert.deepEqual((await findWith({ l: 'nowhere' }, ['l'])).leftOut, { l: 'a broken link' });
  });
  // The library cannot step over it.
  for (const lines of [['dir'], ['dir/l'], ['dir/**/l/*'], ['dir', '!dir/l']]) {
    test(`one that leads to itself is an error for ${lines.join(', ')}`, async () => {
      const advice = 'The link leads to itself: remove it, or set follow-symlinks: false.';
      await assert.rejects(findWith({ 'dir/l': 'l' }, lines), {
        name: 'InputError',
        message: new RegExp(`^files: ".*" cannot be searched: ELOOP: .*dir/l'\\. ${advice}$`),
      });
    });
  }
  for (const [lines, options] of [
    [['dir/*.txt'], {}],
    [['dir', '!dir/l'], { followSymlinks: false }],
  ] as const) {
    test(`one that leads to itself is no matter for ${lines.join(', ')}`, async () => {
      const { found, leftOut } = await findWith({ 'dir/l': 'l' }, lines, options);
      assert.deepEqual([found, leftOut], [['b.txt'], {}]);
    });
  }
  test('a cycle of directories ends, each file found once', async () => {
    const { found } = await findWith({ 'dir/up': '..', 'dir/self': '.' }, ['dir']);
    assert.deepEqual(found, ['b.txt', 'up/a.txt']);
  });
});
