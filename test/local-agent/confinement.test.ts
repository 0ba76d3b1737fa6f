import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { form, openSandbox } from './harness.ts';

test('paths that leave the root, or hold a NUL, are refused', async () => {
  await using sandbox = await openSandbox();
  for (const path of ['/../evil', '../../../evil', '/a/../../evil', '../..', 'a/../../../../evil', '/a\0b']) {
    assert.equal((await sandbox.put(path, 'x')).status, 400, path);
    if (!path.includes('\0')) assert.equal((await sandbox.post('', form(['x'], [path]))).status, 400, path);
  }
  assert.deepEqual(await readdir(sandbox.outside), ['root']);
  assert.deepEqual(await readdir(sandbox.root), []);
});

test('dots inside the root are resolved', async () => {
  await using sandbox = await openSandbox();
  const response = await sandbox.put('/a/./b/..//c', 'x');
  assert.deepEqual(await response.json(), [{ path: '/a/c', name: 'c', type: 'file' }]);
  assert.equal((await sandbox.put('../../c', 'up')).status, 200);
  assert.equal(await sandbox.read('/c'), 'up');
});

test('symlinks that leave the root are refused, and nothing is made behind them', async () => {
  await using sandbox = await openSandbox();
  // Its name begins as the root's does.
  const elsewhere = join(sandbox.outside, 'root-2');
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, 'secret'), 'kept');
  await symlink(elsewhere, join(sandbox.root, 'dir'));
  await symlink(join(elsewhere, 'secret'), join(sandbox.root, 'file'));
  await symlink(join(sandbox.outside, 'new'), join(sandbox.root, 'nowhere'));
  for (const path of ['/dir/a', '/dir/new/deep/a', '/file'])
    assert.equal((await sandbox.put(path, 'x')).status, 400, path);
  for (const path of ['/nowhere', '/nowhere/a']) assert.ok((await sandbox.put(path, 'x')).status >= 400, path);
  assert.deepEqual(await readdir(sandbox.outside), ['root', 'root-2']);
  assert.deepEqual(await readdir(elsewhere), ['secret']);
  assert.equal(await readFile(join(elsewhere, 'secret'), 'utf8'), 'kept');
});

test('symlinks inside the root are followed', async () => {
  await using sandbox = await openSandbox();
  await sandbox.put('/real/file', 'old');
  await symlink('real', join(sandbox.root, 'dir'));
  await symlink('real/file', join(sandbox.root, 'link'));
  assert.equal((await sandbox.put('/dir/new', 'x')).status, 200);
  assert.equal(await sandbox.read('/real/new'), 'x');
  assert.equal((await sandbox.put('/link', 'new')).status, 200);
  assert.equal(await sandbox.read('/real/file'), 'new');
});
