import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onWindows, unlessLinux } from '../system.ts';
import {
  badDirectory,
  badName,
  type Entries,
  fifo,
  find,
  link,
  plant,
  relatives,
  skipped,
} from './tree.ts';

const SKIP = { skip: onWindows('it has no such files') };

describe('what is no regular file is skipped', SKIP, () => {
  const cases: Readonly<
    Record<string, readonly [entries: Entries, pattern: string, name: string]>
  > = {
    'a pipe': [{ 'a/pipe': fifo }, 'a', 'pipe'],
    'a spelt out pipe': [{ pipe: fifo }, 'pipe', 'pipe'],
    'a device': [{}, '/dev/null', 'null'],
  };
  for (const [what, [entries, pattern, name]] of Object.entries(cases)) {
    test(what, async () => {
      using tree = plant({ ...entries, 'a/b': '' });
      for (const followSymlinks of [true, false]) {
        const matches = await find(tree.root, [pattern, 'a'], { followSymlinks });
        assert.ok(relatives(matches).every(file => file === 'b'));
        assert.deepEqual(skipped(matches), { [name]: 'not a regular file' });
      }
    });
  }

  test('a link to a pipe', async () => {
    using tree = plant({ pipe: fifo, 'a/l': link('../pipe') });
    assert.deepEqual(skipped(await find(tree.root, ['a'])), { l: 'not a regular file' });
  });
});

describe('names that are not valid UTF-8', { skip: unlessLinux('such names need Linux') }, () => {
  const refusal = (name: string) => {
    const why = 'has a name that is not valid UTF-8\\. Rename it.';
    return { name: 'InputError', message: new RegExp(`^files: ".*/${name}\uFFFD" ${why}$`) };
  };
  const wrong: Readonly<
    Record<string, readonly [entries: Entries, pattern: string, name: string]>
  > = {
    'a file': [{ 'a/bad': badName, 'a/good': '' }, 'a', 'a/bad'],
    'a file on its own': [{ 'a/bad': badName }, 'a/**', 'a/bad'],
    'a folder': [{ 'a/good': '', 'a/bad': badDirectory }, 'a', 'a/bad'],
    'a file in a folder that a wildcard matches': [
      { 'a/x/b/bad': badName },
      'a/*/b/*',
      'a/x/b/bad',
    ],
    'one beside what its name looks like': [{ 'a/bad\uFFFD': '', 'a/bad': badName }, 'a', 'a/bad'],
    'a hidden one that is spelt out': [{ 'a/.bad': badName }, 'a/.b*', 'a/.bad'],
  };
  for (const [what, [entries, pattern, name]] of Object.entries(wrong)) {
    test(`${what} is an error that names it`, async () => {
      using tree = plant(entries);
      for (const followSymlinks of [true, false])
        await assert.rejects(find(tree.root, [pattern], { followSymlinks }), refusal(name));
    });
  }

  test('a folder that may hold what a wildcard matches is an error too', async () => {
    using tree = plant({ 'a/bad': badDirectory, 'a/x/b/c': '' });
    await assert.rejects(find(tree.root, ['a/*/b/*']), refusal('a/bad'));
  });

  // The library fails on such a name before it tests excludes.
  const wrongAllTheSame: Readonly<Record<string, readonly [Entries, readonly string[]]>> = {
    'is excluded': [{ 'a/bad': badName, 'a/good': '' }, ['a', '!a/bad*']],
    'is hidden': [{ 'a/.bad': badName, 'a/good': '' }, ['a']],
    'another wildcard would match': [{ 'a/bad': badName, 'a/good': '' }, ['a/**/g*']],
  };
  for (const [why, [entries, lines]] of Object.entries(wrongAllTheSame)) {
    test(`one that ${why} is an error too`, async () => {
      using tree = plant(entries);
      await assert.rejects(find(tree.root, lines), { name: 'InputError', message: /UTF-8/ });
    });
  }

  const fine: Readonly<Record<string, readonly [entries: Entries, lines: readonly string[]]>> = {
    'lies in a folder at the top that is excluded': [
      { 'a/b/bad': badName, 'a/good': '' },
      ['a', '!a/b'],
    ],
    'lies in a hidden folder': [{ 'a/.b/bad': badName, 'a/good': '' }, ['a']],
    'is nothing that the pattern matches': [{ 'a/bad': badName, 'a/good': '' }, ['a/g*']],
  };
  for (const [why, [entries, lines]] of Object.entries(fine)) {
    test(`one that ${why} is not mentioned`, async () => {
      using tree = plant(entries);
      const matches = await find(tree.root, lines);
      assert.deepEqual([relatives(matches), skipped(matches)], [['good'], {}]);
    });
  }

  test('a name that truly holds the replacement character is a name as any other', async () => {
    using tree = plant({ 'a/\uFFFD': '' });
    for (const followSymlinks of [true, false])
      assert.deepEqual(relatives(await find(tree.root, ['a'], { followSymlinks })), ['\uFFFD']);
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
