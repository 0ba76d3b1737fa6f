import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { actionOf, openWorld, runBadly, type World } from '../../action/harness.ts';
import { assertTrue } from './sandbox.ts';

const NOBODY = 65_534;
const MODULE = path.join(import.meta.dirname, 'nobody.js');

const skip = process.platform === 'win32' && 'modes keep nobody from reading there';

test('a file that may not be read is reported, and the others arrive', { skip }, async t => {
  await using world = await openOrdinary(t, { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
  if (world === undefined) return;
  chmodSync(path.join(world.workspace, 'b.txt'), 0);
  const result = await runBadly(world, {}, { env: { NODE_OPTIONS: `--import=${MODULE}` } });
  assertTrue(world, result);
  assert.deepEqual([result.outputs['uploaded-count'], result.outputs['failed-count']], ['2', '1']);
  assert.match(result.file('b.txt').error?.message ?? '', /b\.txt cannot be read \(EACCES\)/);
});

test('a directory that may not be read fails the step with advice, and nothing is sent', {
  skip,
}, async t => {
  await using world = await openOrdinary(t, { 'a.txt': 'a' });
  if (world === undefined) return;
  const closed = path.join(world.workspace, 'closed');
  mkdirSync(closed);
  chmodSync(closed, 0);
  const result = await runBadly(world, {}, { env: { NODE_OPTIONS: `--import=${MODULE}` } });
  assert.match(result.annotations('error').join(), /EACCES.*Let the runner read the folder/);
  assert.equal(world.agent.connections(), 0);
});

/** A world that a user without privileges can work in, as which the action runs where these tests run as root. */
async function openOrdinary(
  t: TestContext,
  files: Readonly<Record<string, string>>,
): Promise<World | undefined> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot && !canRead(actionOf('sync').main)) {
    t.skip('an ordinary user cannot read the action here');
    return undefined;
  }
  const world = await openWorld({ files });
  if (!isRoot) return world;
  chmodSync(path.dirname(world.workspace), 0o755);
  const newStep = () => {
    const places = world.newStep();
    chmodSync(path.dirname(places.temp), 0o755);
    for (const place of Object.values(places)) chmodSync(place, 0o777);
    return places;
  };
  return { ...world, newStep };
}

function canRead(file: string): boolean {
  const read = spawnSync(process.execPath, ['-e', 'fs.readFileSync(process.argv[1])', file], {
    uid: NOBODY,
    gid: NOBODY,
  });
  return read.status === 0;
}
