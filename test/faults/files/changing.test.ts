import assert from 'node:assert/strict';
import { appendFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { openWorld, runBadly, runWell, when } from '../../action/harness.ts';
import { onWindows } from '../../system.ts';
import { telling } from '../../telling.ts';
import { assertTrue } from './sandbox.ts';

const SMALL = 1000;
/** More than all buffers hold, so most is still to be read when the request starts. */
const STREAMED = 32 * 1024 * 1024;

/** What happens to a file, and its size afterwards. */
const CHANGES: Readonly<
  Record<string, { act: (file: string) => void; after: (size: number) => number }>
> = {
  grows: { act: file => appendFileSync(file, 'more'), after: size => size + 4 },
  shrinks: { act: file => truncateSync(file, 10), after: () => 10 },
  'grows beyond a buffer': {
    act: file => appendFileSync(file, Buffer.alloc(STREAMED)),
    after: size => size + STREAMED,
  },
  'is emptied': { act: file => truncateSync(file, 0), after: () => 0 },
};

suite('a file that', { concurrency: 2 }, () => {
  for (const size of [SMALL, STREAMED]) {
    for (const [what, { act, after }] of telling(CHANGES, ['shrinks'])) {
      test(`${what} after the plan, ${size} bytes then, arrives as it is`, async () => {
        await using world = await openWorld({ files: { a: 'a', b: Buffer.alloc(size, 'b') } });
        const file = path.join(world.workspace, 'b');
        const result = await runWell(
          world,
          { concurrency: '1' },
          when('a', () => act(file)),
        );
        assertTrue(world, result);
        assert.equal(world.stored('b').length, after(size));
      });

      test(`${what} while it is sent, ${size} bytes then, arrives whole`, async () => {
        await using world = await openWorld({ files: { b: Buffer.alloc(size, 'b') } });
        const file = path.join(world.workspace, 'b');
        const result = await runWell(
          world,
          {},
          when('b', () => act(file)),
        );
        assertTrue(world, result);
        // A small file is read before its request starts.
        const isAgain = size === STREAMED;
        assert.equal(world.stored('b').length, isAgain ? after(size) : size);
        assert.equal(result.file('b').attempts, isAgain ? 2 : 1);
      });
    }

    test(`is replaced after the plan, ${size} bytes then, is reported and the others arrive`, async () => {
      await using world = await openWorld({ files: { a: 'a', b: Buffer.alloc(size), c: 'c' } });
      const replace = () => {
        world.write({ fresh: 'another' });
        renameSync(path.join(world.workspace, 'fresh'), path.join(world.workspace, 'b'));
      };
      const inputs = { files: 'a\nb\nc', concurrency: '1' };
      const result = await runBadly(world, inputs, when('a', replace));
      assertTrue(world, result);
      assert.deepEqual(
        result.report.files.map(({ status }) => status),
        ['uploaded', 'failed', 'uploaded'],
      );
      assert.match(result.file('b').error?.message ?? '', /was replaced after it was found/);
    });

    test(`vanishes after the plan, ${size} bytes then, is reported and the others arrive`, async () => {
      await using world = await openWorld({ files: { a: 'a', b: Buffer.alloc(size), c: 'c' } });
      const act = () => rmSync(path.join(world.workspace, 'b'));
      const result = await runBadly(world, { concurrency: '1' }, when('a', act));
      assertTrue(world, result);
      assert.deepEqual(
        result.report.files.map(({ status }) => status),
        ['uploaded', 'failed', 'uploaded'],
      );
      assert.match(result.file('b').error?.message ?? '', /cannot be read \(ENOENT\)/);
    });
  }

  test('vanishes while it is sent arrives whole if it is small', async () => {
    await using world = await openWorld({ files: { b: Buffer.alloc(SMALL, 'b') } });
    const act = () => rmSync(path.join(world.workspace, 'b'));
    const result = await runWell(world, {}, when('b', act));
    assertTrue(world, result);
    assert.ok(world.stored('b').equals(Buffer.alloc(SMALL, 'b')));
  });

  const skip = onWindows('no open file can be removed');
  test('vanishes while it is sent is reported if it is streamed', { skip }, async () => {
    await using world = await openWorld({ files: { b: Buffer.alloc(STREAMED, 'b') } });
    const act = () => rmSync(path.join(world.workspace, 'b'));
    const result = await runBadly(world, {}, when('b', act));
    assert.match(result.file('b').error?.message ?? '', /cannot be read \(ENOENT\)/);
  });
});
