import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { openWorld, runBadly, uploads, type World, when } from '../../action/harness.ts';
import { onWindows } from '../../system.ts';
import { telling } from '../../telling.ts';
import { assertKept, assertTrue } from './sandbox.ts';

const SECRET = 'the credential of the runner';

/** A link or a folder is unreadable; behind a folder that became a link, there is another file. */
const REFUSED = /^file-(unreadable|replaced)$/;

/** Small files are read at once, large ones streamed: two ways to open a file. */
const SIZES = { small: 100, streamed: 600 * 1024 };

/** What a build does during the upload; `d/b` was planned as an ordinary file. */
const SWAPS: Readonly<Record<string, (world: World) => void>> = {
  'the file for a link to a secret': ({ workspace, outside }) => {
    rmSync(path.join(workspace, 'd/b'));
    symlinkSync(path.join(outside, 'b'), path.join(workspace, 'd/b'));
  },
  'the file for a chain of links': ({ workspace, outside }) => {
    rmSync(path.join(workspace, 'd/b'));
    symlinkSync(path.join(outside, 'b'), path.join(workspace, 'd/c'));
    symlinkSync('c', path.join(workspace, 'd/b'));
  },
  'the file for a directory': ({ workspace }) => {
    rmSync(path.join(workspace, 'd/b'));
    mkdirSync(path.join(workspace, 'd/b'));
  },
  'its directory for a link': ({ workspace, outside }) => {
    renameSync(path.join(workspace, 'd'), path.join(workspace, 'gone'));
    symlinkSync(outside, path.join(workspace, 'd'));
  },
  'its directory for a link to one with a link': ({ workspace, outside }) => {
    renameSync(path.join(workspace, 'd'), path.join(workspace, 'gone'));
    mkdirSync(path.join(outside, 'deep'));
    symlinkSync(path.join(outside, 'b'), path.join(outside, 'deep/b'));
    symlinkSync(path.join(outside, 'deep'), path.join(workspace, 'd'));
  },
};

suite('a build that swaps', { concurrency: 2, skip: onWindows('it opens links otherwise') }, () => {
  for (const [what, swap] of telling(SWAPS, [
    'the file for a link to a secret',
    'its directory for a link',
  ])) {
    for (const [kind, size] of Object.entries(SIZES)) {
      test(`${what}, of a ${kind} file, gets no secret into the sandbox`, async () => {
        await using world = await worldWithSecret(size);
        const inputs = { files: 'a\nd/b', concurrency: '1' };
        const result = await runBadly(
          world,
          inputs,
          when('a', () => swap(world)),
        );
        assertKept(world, SECRET, result);
        assertTrue(world, result);
        assert.deepEqual(
          result.report.files.map(({ source, status }) => [source, status]),
          [
            ['a', 'uploaded'],
            ['d/b', 'failed'],
          ],
        );
        assert.match(result.file('d/b').error?.kind ?? '', REFUSED);
        assert.equal(uploads(world).length, 1);
      });
    }

    test(`${what}, between two attempts, gets no secret into the sandbox`, async () => {
      await using world = await worldWithSecret(SIZES.streamed);
      world.agent.addFaults({
        on: 'upload',
        path: 'b',
        times: 1,
        do: { kind: 'status', status: 503 },
      });
      const result = await runBadly(
        world,
        { files: 'd/b' },
        when('b', () => swap(world)),
      );
      assertKept(world, SECRET, result);
      assertTrue(world, result);
      assert.equal(result.file('d/b').attempts, 2);
      assert.match(result.file('d/b').error?.kind ?? '', REFUSED);
    });
  }
});

/** A world with a harmless file, and outside a secret with the same name and size. */
async function worldWithSecret(size: number): Promise<World> {
  const world = await openWorld({ files: { a: 'a', 'd/b': Buffer.alloc(size, 'harmless ') } });
  writeFileSync(path.join(world.outside, 'b'), Buffer.alloc(size, SECRET));
  return world;
}
