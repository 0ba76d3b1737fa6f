import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { suite, test } from 'node:test';
import {
  openWorld,
  type Result,
  runBadly,
  runWell,
  type World,
  when,
} from '../../action/harness.ts';
import { onWindows } from '../../system.ts';
import { assertTrue } from './sandbox.ts';

suite('what is no regular file', {
  concurrency: 2,
  skip: onWindows('it has no such files'),
}, () => {
  test('a pipe is never opened', async () => {
    await using world = await openWorld();
    await using pipe = await openPipe(world, 'pipe');
    assertLeftOut(world, await runWell(world), 'pipe');
    assert.ok(pipe.isUnopened(), 'whoever waits to write into it was let in');
  });

  test('a pipe that is spelt out is never opened either, and fails the step', async () => {
    await using world = await openWorld();
    await using pipe = await openPipe(world, 'pipe');
    const result = await runBadly(world, { files: 'pipe' });
    assert.match(result.annotations('error').join(), /pipe: not a regular file/);
    assert.ok(pipe.isUnopened(), 'whoever waits to write into it was let in');
    assert.equal(world.agent.connections(), 0);
  });

  test('a pipe behind a link is never opened', async () => {
    await using world = await openWorld();
    await using pipe = await openPipe(world, '../outside/pipe');
    symlinkSync('../outside/pipe', path.join(world.workspace, 'l'));
    assertLeftOut(world, await runWell(world), 'l');
    assert.ok(pipe.isUnopened(), 'whoever waits to write into it was let in');
  });

  test('a socket is left out, and nobody connects to it', async () => {
    await using world = await openWorld();
    let connections = 0;
    await using server = createServer(() => {
      connections += 1;
    }).listen(path.join(world.workspace, 's'));
    await once(server, 'listening');
    assertLeftOut(world, await runWell(world), 's');
    assert.equal(connections, 0);
  });

  test('a device that never ends, behind a link, is left out', async () => {
    await using world = await openWorld();
    symlinkSync('/dev/zero', path.join(world.workspace, 'zero'));
    assertLeftOut(world, await runWell(world), 'zero');
  });

  test('a device in the workspace is left out', async t => {
    await using world = await openWorld();
    const made = spawnSync('mknod', [path.join(world.workspace, 'zero'), 'c', '1', '5']);
    if (made.status !== 0) return t.skip('may not make devices');
    assertLeftOut(world, await runWell(world), 'zero');
  });

  for (const size of [1, 600 * 1024]) {
    test(`a pipe put in the place of a file of ${size} bytes does not hold up the step`, async () => {
      await using world = await openWorld({ files: { a: 'a', b: Buffer.alloc(size) } });
      const act = () => {
        execFileSync('mkfifo', [path.join(world.workspace, 'pipe')]);
        renameSync(path.join(world.workspace, 'pipe'), path.join(world.workspace, 'b'));
      };
      const result = await runBadly(world, { concurrency: '1' }, when('a', act));
      assertTrue(world, result);
      assert.match(result.file('b').error?.message ?? '', /is no longer a regular file/);
    });
  }
});

/** A pipe with a writer that waits until somebody opens it to read. */
async function openPipe({ workspace }: World, name: string) {
  const file = path.join(workspace, name);
  execFileSync('mkfifo', [file]);
  const writer = spawn('sh', ['-c', 'echo ready; echo secret > "$0"', file], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(writer.stdout, 'data');
  return {
    isUnopened: () => writer.exitCode === null,
    async [Symbol.asyncDispose]() {
      writer.kill('SIGKILL');
      if (writer.exitCode === null && writer.signalCode === null) await once(writer, 'exit');
    },
  };
}

function assertLeftOut(world: World, result: Result, name: string): void {
  assertTrue(world, result);
  assert.equal(world.stored('a.txt').toString(), 'text');
  assert.ok(result.stdout.includes(`skipped: ${name} (not a regular file)`), result.stdout);
  assert.match(result.summary, new RegExp(`What was skipped[^]*${name}[^]*not a regular file`));
  assert.deepEqual(result.report.skipped, [{ path: name, reason: 'not a regular file' }]);
  assert.equal(result.outputs['skipped-count'], '1');
  assert.match(result.annotations('warning').join(), new RegExp(`"${name}".*not a regular file`));
}
