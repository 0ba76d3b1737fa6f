import assert from 'node:assert/strict';
import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { openWorld, runBadly, runWell, when } from '../../action/harness.ts';
import { onWindows } from '../../system.ts';
import { telling } from '../../telling.ts';
import { assertTrue } from './sandbox.ts';

const SMALL = 1000;
/** More than the buffers on the way hold, so that most of it is still to be read as the request begins. */
const STREAMED = 32 * 1024 * 1024;

/** What becomes of a file, and how long it is afterwards. */
const CHANGES: Readonly<Record<string, { act: (file: string) => void; after: (size: number) => number }>> = {
  grows: { act: file => appendFileSync(file, 'more'), after: size => size + 4 },
  shrinks: { act: file => truncateSync(file, 10), after: () => 10 },
  'grows beyond a buffer': {
    act: file => appendFileSync(file, Buffer.alloc(STREAMED)),
    after: size => size + STREAMED,
  },
  'is emptied': { act: file => truncateSync(file, 0), after: () => 0 },
  'is replaced': {
    act(file) {
      writeFileSync(`${file}.new`, 'another');
      renameSync(`${file}.new`, file);
    },
    after: () => 7,
  },
};

suite('a file that', { concurrency: 2 }, () => {
  for (const size of [SMALL, STREAMED]) {
    for (const [what, { act, after }] of telling(CHANGES, ['shrinks', 'is replaced'])) {
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

      const skip = what === 'is replaced' && size === STREAMED && onWindows('no open file can be replaced');
      test(`${what} while it is sent, ${size} bytes then, arrives whole`, { skip }, async () => {
        await using world = await openWorld({ files: { b: Buffer.alloc(size, 'b') } });
        const file = path.join(world.workspace, 'b');
        const result = await runWell(
          world,
          {},
          when('b', () => act(file)),
        );
        assertTrue(world, result);
        // One that was replaced is read to its end all the same; a small one was read before.
        const isAgain = size === STREAMED && what !== 'is replaced';
        assert.equal(world.stored('b').length, isAgain ? after(size) : size);
        assert.equal(result.file('b').attempts, isAgain ? 2 : 1);
      });
    }

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

    test(`vanishes while it is sent, ${size} bytes, arrives whole`, async () => {
      await using world = await openWorld({ files: { b: Buffer.alloc(size, 'b') } });
      const act = () => rmSync(path.join(world.workspace, 'b'));
      const result = await runWell(world, {}, when('b', act));
      assertTrue(world, result);
      assert.ok(world.stored('b').equals(Buffer.alloc(size, 'b')));
    });
  }
});
