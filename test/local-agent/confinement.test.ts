import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { form, openSandbox } from './harness.ts';

for (const path of [
  '/../evil',
  '../../../evil',
  '/a/../../evil',
  '../..',
  '/a/b/../../../evil',
  'a/../../../../evil',
]) {
  test(`the path ${path} is refused`, async () => {
    await using sandbox = await openSandbox();
    const byQuery = await sandbox.put(path, 'x');
    const byFilename = await sandbox.post('', form(['x'], [path]));
    assert.deepEqual([byQuery.status, byFilename.status], [400, 400]);
    assert.deepEqual(await readdir(sandbox.outside), ['root']);
    assert.deepEqual(await readdir(sandbox.root), []);
  });
}

test('a path with a NUL is refused', async () => {
  await using sandbox = await openSandbox();
  assert.equal((await sandbox.put('/a\0b', 'x')).status, 400);
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
  const elsewhere = join(sandbox.outside, 'elsewhere');
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, 'secret'), 'kept');
  await symlink(elsewhere, join(sandbox.root, 'dir'));
  await symlink(join(elsewhere, 'secret'), join(sandbox.root, 'file'));
  for (const path of ['/dir/a', '/dir/new/deep/a', '/file']) {
    assert.equal((await sandbox.put(path, 'x')).status, 400, path);
  }
  assert.deepEqual(await readdir(elsewhere), ['secret']);
  assert.equal(await readFile(join(elsewhere, 'secret'), 'utf8'), 'kept');
});

test('a symlink to nowhere is not made real', async () => {
  await using sandbox = await openSandbox();
  await symlink(join(sandbox.outside, 'new'), join(sandbox.root, 'link'));
  for (const path of ['/link', '/link/a']) {
    const { status } = await sandbox.put(path, 'x');
    assert.ok(status >= 400, `${path}: ${status}`);
  }
  assert.deepEqual(await readdir(sandbox.outside), ['root']);
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

test('a sibling whose name starts like the root is outside', async () => {
  await using sandbox = await openSandbox();
  await mkdir(join(sandbox.outside, 'root-2'));
  await symlink('../root-2', join(sandbox.root, 'link'));
  assert.equal((await sandbox.put('/link/a', 'x')).status, 400);
});
