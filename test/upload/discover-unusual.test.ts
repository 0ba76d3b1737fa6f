import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { badName, fifo, find, leftOut, link, plant, relatives } from './tree.ts';

const SKIP = { skip: process.platform === 'win32' };

describe('what is no regular file is left out', SKIP, () => {
  for (const followSymlinks of [true, false]) {
    test(`a pipe, with follow-symlinks ${followSymlinks}`, async () => {
      using tree = plant({ 'a/pipe': fifo, 'a/b': '' });
      const matches = await find(tree.root, ['a'], { followSymlinks });
      assert.deepEqual(relatives(matches), ['b']);
      assert.deepEqual(leftOut(matches), { pipe: 'not a regular file' });
    });
  }

  test('a spelt out pipe', async () => {
    using tree = plant({ pipe: fifo });
    const matches = await find(tree.root, ['pipe']);
    assert.deepEqual(relatives(matches), []);
    assert.deepEqual(leftOut(matches), { pipe: 'not a regular file' });
  });

  test('a link to a pipe', async () => {
    using tree = plant({ pipe: fifo, 'a/l': link('../pipe') });
    assert.deepEqual(leftOut(await find(tree.root, ['a'])), { l: 'not a regular file' });
  });

  test('a device', async () => {
    using tree = plant({ a: '' });
    assert.deepEqual(leftOut(await find(tree.root, ['/dev/null'])), { null: 'not a regular file' });
  });
});

// Elsewhere the file system refuses to make them.
describe('names that are not valid UTF-8', { skip: process.platform !== 'linux' }, () => {
  test('one is an error that names it: it could not be uploaded under its name', async () => {
    using tree = plant({ 'a/bad': badName, 'a/good': '' });
    await assert.rejects(find(tree.root, ['a']), {
      name: 'InputError',
      message:
        /^files: ".*bad\uFFFD" has a name that is not valid UTF-8\. Rename it, or exclude it with a ! line\.$/,
    });
  });

  test('with follow-symlinks off, one is an error as well', async () => {
    using tree = plant({ 'a/bad': badName, 'a/good': '' });
    await assert.rejects(find(tree.root, ['a'], { followSymlinks: false }), {
      name: 'InputError',
      message:
        /^files: ".*bad\uFFFD" has a name that is not valid UTF-8\. Rename it, or exclude it with a ! line\.$/,
    });
  });

  test('one that is excluded is not mentioned', async () => {
    using tree = plant({ 'a/bad': badName, 'a/good': '' });
    assert.deepEqual(leftOut(await find(tree.root, ['a', '!a/bad*'])), {});
  });

  test('a name that truly holds the replacement character is a name as any other', async () => {
    using tree = plant({ 'a/\uFFFD': '' });
    const matches = await find(tree.root, ['a']);
    assert.deepEqual(relatives(matches), ['\uFFFD']);
    assert.deepEqual(leftOut(matches), {});
  });
});

describe('unusual names are found unchanged', SKIP, () => {
  const names = [
    'a b',
    "it's",
    'a"b',
    '100%',
    'a#b',
    'a?b',
    'a+b',
    'a&b',
    'ünï',
    'a\nb',
    'a\\b',
    '日本',
    '-',
    'a=>b',
  ];
  for (const name of names) {
    test(JSON.stringify(name), async () => {
      using tree = plant({ [`dir/${name}`]: '' });
      assert.deepEqual(relatives(await find(tree.root, ['dir/*'])), [name]);
    });
  }

  const oneForm = process.platform === 'darwin' && 'the file system takes both forms for one name';
  test('a name is not brought to another Unicode form', { skip: oneForm }, async () => {
    using tree = plant({ 'dir/e\u0301': '', 'dir/\u00e9': '' });
    assert.deepEqual(relatives(await find(tree.root, ['dir'])), ['e\u0301', '\u00e9']);
  });
});
