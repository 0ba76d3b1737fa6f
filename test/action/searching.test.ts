import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { onWindows } from '../system.ts';
import { openWorld, runBadly, runWell, type World } from './harness.ts';

function link(world: World, place: string, end: string): void {
  symlinkSync(end, path.join(world.workspace, place));
}

suite('a search', { concurrency: 2, skip: onWindows('its names and links are others') }, () => {
  for (const files of ['dist/**', 'dist/**/*.txt', 'dist\n!**/link']) {
    test(`of ${JSON.stringify(files)} that a link through a file keeps from its end is no success`, async () => {
      await using world = await openWorld({ files: { 'dist/a.txt': 'a', 'dist/z.txt': 'z', 'dist/sub/b.txt': 'b' } });
      link(world, 'dist/link', 'a.txt/x');
      const { stdout } = await runBadly(world, { files });
      assert.match(stdout, /cannot be searched: ENOTDIR.*dist\/link'\. The link leads nowhere: remove it/);
      assert.deepEqual(world.agent.requests, []);
    });
  }

  test('leaves out a root that is a link, whole, where links are not followed', async () => {
    await using world = await openWorld({ files: { 'real/index.html': 'i', 'real/sub/a': 'a', 'b.txt': 'b' } });
    link(world, 'build', 'real');
    const { report } = await runWell(world, {
      files: 'build/**\nb.txt',
      'follow-symlinks': 'false',
      'if-no-files-found': 'ignore',
    });
    assert.deepEqual(
      report.files.map(({ source }) => source),
      ['b.txt'],
    );
    assert.deepEqual(report.leftOut, [{ path: 'build', reason: 'a symbolic link' }]);
  });

  test('of a workspace that ends in a blank is refused: it would look elsewhere', async () => {
    await using world = await openWorld({ files: { 'dir/secret': 's' } });
    const workspace = path.join(world.workspace, 'dir ');
    mkdirSync(workspace);
    const { stdout } = await runBadly(world, { files: '.' }, { env: { GITHUB_WORKSPACE: workspace } });
    assert.match(stdout, /working-directory: .* has a line break, or a space at the start or end of its path/);
  });
});
