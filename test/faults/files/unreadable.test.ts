import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { folderOf, openWorld, runBadly } from '../../action/harness.ts';
import { WINDOWS } from '../../system.ts';
import { assertTrue } from './sandbox.ts';

const NOBODY = 65_534;
const ENV = { NODE_OPTIONS: `--import=${import.meta.resolve('./nobody.js')}` };

function whyNot(): string | false {
  if (WINDOWS) return 'modes keep nobody from reading there';
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const script = 'fs.readFileSync(process.argv[1])';
  const read = spawnSync(
    process.execPath,
    ['-e', script, path.join(folderOf('sync'), 'action.yml')],
    user,
  );
  return read.status !== 0 && 'an ordinary user cannot read the action here';
}

suite('as an ordinary user', { skip: whyNot() }, () => {
  for (const inputs of [{}, { 'files-per-request': '50' }]) {
    test(`a file that may not be read is reported, and the others arrive: ${JSON.stringify(inputs)}`, async () => {
      await using world = await openWorld({
        files: { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', d: 'd' },
      });
      chmodSync(path.join(world.workspace, 'b.txt'), 0);
      const result = await runBadly(world, inputs, { env: ENV });
      assertTrue(world, result);
      assert.deepEqual(
        [result.outputs['uploaded-count'], result.outputs['failed-count']],
        ['3', '1'],
      );
      assert.match(result.file('b.txt').error?.message ?? '', /b\.txt cannot be read \(EACCES\)/);
    });
  }

  test('a directory that may not be read fails the step with advice, and nothing is sent', async () => {
    await using world = await openWorld();
    const closed = path.join(world.workspace, 'closed');
    mkdirSync(closed);
    chmodSync(closed, 0);
    const result = await runBadly(world, {}, { env: ENV });
    assert.match(result.annotations('error').join(), /EACCES.*Let the runner read the folder/);
    assert.equal(world.agent.connections(), 0);
  });
});
