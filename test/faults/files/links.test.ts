import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { openWorld, type Result, runBadly, runWell, type World } from '../../action/harness.ts';
import { onWindows } from '../../system.ts';
import { telling } from '../../telling.ts';
import { assertKept, assertTrue, contents } from './sandbox.ts';

const SECRET = 'the credential of the runner';

/** Links by their path in the workspace; `OUT` is the directory outside. */
const LEAKS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a file': { 'dist/l': 'OUT/secret' },
  'a directory': { 'dist/l': 'OUT' },
  'the parent of the workspace': { 'dist/l': '../..' },
  'a file through a chain in the workspace': { 'dist/l': '../one', one: 'two', two: 'OUT/secret' },
  'a directory through a chain': { 'dist/l': '../one', one: 'two', two: 'OUT' },
  'the workspace and out again': { 'dist/l': '../back/secret', back: 'OUT' },
};

suite('links', { concurrency: 2, skip: onWindows('what it says of links is other') }, () => {
  for (const [end, links] of telling(LEAKS, ['a file', 'a directory through a chain'])) {
    test(`to ${end} fail the step, found by a wildcard, and nothing is sent`, async () => {
      await using world = await worldWith(links);
      const result = await runBadly(world, { files: 'dist/**' });
      assert.match(
        result.annotations('error').join(),
        /dist\/l.* is a link to .*outside the workspace/,
      );
      assertKept(world, SECRET, result);
      assert.equal(world.agent.connections(), 0);
    });

    test(`to ${end} are left out with follow-symlinks off, and named`, async () => {
      await using world = await worldWith(links);
      const result = await runWell(world, { files: 'dist/**', 'follow-symlinks': 'false' });
      assertKept(world, SECRET, result);
      assert.deepEqual([...contents(world).keys()], ['/home/user/a']);
      assertNamed(result, 'dist/l', 'a symbolic link');
    });
  }

  const cycles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'its own directory': { 'dist/l': '.' },
    'the directory above': { 'dist/deep/l': '..' },
    'one another': { 'dist/x/l': '../y', 'dist/y/l': '../x' },
  };
  for (const [end, links] of telling(cycles, ['one another'])) {
    test(`that lead round to ${end} end, with the file in the sandbox`, async () => {
      await using world = await worldWith(links);
      const result = await runWell(world, { files: 'dist/**' });
      assertTrue(world, result);
      assert.equal(world.stored('a').toString(), 'a');
      assert.ok(result.report.files.length < 10, `${result.report.files.length} files`);
    });
  }

  test('that lead to nothing are left out with a warning', async () => {
    await using world = await worldWith({ 'dist/l': 'nowhere' });
    const result = await runWell(world, { files: 'dist/**' });
    assertTrue(world, result);
    assertNamed(result, 'dist/l', 'a broken link');
    assert.match(result.annotations('warning').join(), /dist\/l.*broken link/);
  });

  test('that lead to themselves are an error that names them: no search gets past them', async () => {
    await using world = await worldWith({ 'dist/l': 'l' });
    const { stdout } = await runBadly(world, { files: 'dist/**' });
    assert.match(
      stdout,
      /cannot be searched: ELOOP.*dist\/l'\. The link leads to itself: remove it, or set follow-symlinks/,
    );
    assert.deepEqual(world.agent.requests, []);
    await runWell(world, { files: 'dist/**', 'follow-symlinks': 'false' });
  });
});

async function worldWith(links: Readonly<Record<string, string>>): Promise<World> {
  const world = await openWorld({ files: { 'dist/a': 'a' } });
  writeFileSync(path.join(world.outside, 'secret'), SECRET);
  for (const [place, end] of Object.entries(links)) {
    const link = path.join(world.workspace, place);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(end.replace('OUT', world.outside), link);
  }
  return world;
}

function assertNamed({ stdout, summary, report }: Result, place: string, reason: string): void {
  assert.ok(stdout.includes(`skipped: ${place} (${reason})`), stdout);
  assert.ok(summary.includes(place), summary);
  assert.deepEqual(report.skipped, [{ path: place, reason }]);
}
