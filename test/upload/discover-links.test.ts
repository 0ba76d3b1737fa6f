import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { findWith, plantWorkspace } from './linked.ts';
import { find, relatives } from './tree.ts';

describe('links that end inside the workspace are followed', () => {
  const cases: Readonly<Record<string, readonly [Record<string, string>, string, Record<string, string>]>> = {
    'a file': [{ 'dir/l': '../a.txt' }, 'dir', { l: 'w/a.txt', 'b.txt': 'w/dir/b.txt' }],
    'a directory': [{ l: 'dir' }, 'l*', { 'l/b.txt': 'w/dir/b.txt' }],
    'a chain': [{ 'dir/l': 'm', 'dir/m': '../n', n: 'a.txt' }, 'dir/l', { '': 'w/a.txt' }],
    'a way out and in again': [{ l: '../outside/../w/a.txt' }, 'l', { '': 'w/a.txt' }],
    "the pattern's root": [{ l: 'dir' }, 'l', { 'b.txt': 'w/dir/b.txt' }],
    'a parent of the pattern': [{ l: 'dir' }, 'l/*.txt', { 'b.txt': 'w/dir/b.txt' }],
    'a link below a linked directory': [
      { l: 'dir', 'dir/m': '../a.txt' },
      'l',
      { 'b.txt': 'w/dir/b.txt', m: 'w/a.txt' },
    ],
  };
  for (const [name, [links, pattern, expected]] of Object.entries(cases)) {
    test(name, async () => assert.deepEqual((await findWith(links, [pattern])).real, expected));
  }
});

describe('links that lead out are an error that names them', () => {
  const cases: Readonly<Record<string, readonly [Record<string, string>, string, string, string]>> = {
    'a file': [{ 'dir/l': '../../outside/secret' }, 'dir/**', 'w/dir/l', 'outside/secret'],
    'a directory': [{ 'dir/l': '../../outside' }, '**', 'w/dir/l', 'outside'],
    'a chain': [{ l: 'm', m: '../outside/secret' }, 'l', 'w/l', 'outside/secret'],
    'a chain of directories': [{ 'dir/l': '../m', m: '../outside' }, 'dir', 'w/dir/l', 'outside'],
    "the pattern's root": [{ l: '../outside' }, 'l/**', 'w/l', 'outside'],
    'a parent of the pattern': [{ l: '../outside' }, 'l/sub/*.txt', 'w/l', 'outside/sub'],
    'a spelt out file behind one': [{ l: '../outside' }, 'l/secret', 'w/l', 'outside'],
    'a hidden one that is spelt out': [{ '.l': '../outside/secret' }, '.l', 'w/.l', 'outside/secret'],
    'a sibling whose name begins alike': [{ l: '../w2/d.txt' }, 'l', 'w/l', 'w2/d.txt'],
  };
  for (const [name, [links, pattern, from, to]] of Object.entries(cases)) {
    test(name, async () => {
      using tree = plantWorkspace();
      for (const [file, end] of Object.entries(links)) symlinkSync(end, tree.at(`w/${file}`));
      await assert.rejects(find(tree.at('w'), ['a.txt', pattern]), (error: unknown) => {
        assert.ok(error instanceof Error);
        const says = `files: ${tree.at(from)} is a link to ${tree.at(to)}, outside the workspace.`;
        assert.ok(error.message.startsWith(says), error.message);
        return error.name === 'InputError';
      });
    });
  }
});

describe('links that lead out do no harm', () => {
  const links = { 'dir/l': '../../outside', 'dir/m': '../../outside/secret' };
  test('where they are excluded', async () => {
    const { found } = await findWith(links, ['dir', '!dir/l', '!dir/m']);
    assert.deepEqual(found, ['b.txt']);
  });
  test('where links are not followed', async () => {
    const result = await findWith(links, ['dir'], { followSymlinks: false });
    assert.deepEqual(result.found, ['b.txt']);
    assert.deepEqual(result.leftOut, { l: 'a symbolic link', m: 'a symbolic link' });
  });
  test('where their names are hidden', async () => {
    const { found } = await findWith({ 'dir/.m': '../../outside/secret' }, ['dir']);
    assert.deepEqual(found, ['b.txt']);
  });
});

describe("a pattern outside the workspace has its own root's bounds", () => {
  test('links within it are followed', async () => {
    using tree = plantWorkspace();
    symlinkSync('sub/c.txt', tree.at('outside/l'));
    const lines = [tree.at('outside/*')];
    assert.deepEqual(relatives(await find(tree.at('w'), lines)), ['l', 'secret', 'sub/c.txt']);
  });
  test('links into the workspace are followed', async () => {
    using tree = plantWorkspace();
    symlinkSync('../w/a.txt', tree.at('outside/l'));
    assert.deepEqual(relatives(await find(tree.at('w'), [tree.at('outside/l')])), ['']);
  });
  test('links out of it are an error', async () => {
    using tree = plantWorkspace();
    symlinkSync('../secret', tree.at('outside/sub/l'));
    const lines = [tree.at('outside/sub')];
    await assert.rejects(find(tree.at('w'), lines), /outside\/sub\/l is a link to .*outside\/secret, /);
  });
  test('another pattern is not bound by them', async () => {
    using tree = plantWorkspace();
    symlinkSync('../outside/secret', tree.at('w/l'));
    const lines = [tree.at('outside'), 'l'];
    await assert.rejects(find(tree.at('w'), lines), /\/w\/l is a link to /);
  });
  test('one that climbs out of the workspace', async () => {
    using tree = plantWorkspace();
    assert.deepEqual(relatives(await find(tree.at('w'), ['../outside'])), ['secret', 'sub/c.txt']);
  });
  test('a root that is itself a link', async () => {
    using tree = plantWorkspace();
    symlinkSync('outside', tree.at('l'));
    await assert.rejects(find(tree.at('w'), [tree.at('l')]), /l is a link to .*outside, outside the workspace/);
  });
});
