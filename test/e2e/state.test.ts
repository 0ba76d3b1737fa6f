import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { WINDOWS, WITHOUT_SIGNALS } from '../system.ts';
import {
  type Inputs,
  openFaulty,
  openWorld,
  pathOf,
  type Result,
  type RunOptions,
  runAction,
  status,
  TOKEN,
  uploads,
  type World,
  when,
} from './harness.ts';

const FILES = { 'a.txt': 'aaa', 'b.txt': 'bbb', 'dir/c.txt': 'ccc', empty: '' };
const ALL = Object.keys(FILES);

/** In a hidden folder of the checkout, which `**` skips. */
const STATE = '.sandbox-sync/state.json';

/** A run with a state file, and the targets that it sent. */
async function run(
  world: World,
  inputs: Inputs = {},
  options: RunOptions = {},
): Promise<Result & { readonly sent: readonly string[] }> {
  const before = uploads(world).length;
  const result = await runAction(world, { 'state-file': STATE, ...inputs }, options);
  const sent = uploads(world).slice(before).map(pathOf).toSorted();
  return Object.assign(result, { sent });
}

/** The targets that a successful run sends now. */
async function sentBy(world: World, inputs: Inputs = {}): Promise<readonly string[]> {
  const { exitCode, sent, stdout } = await run(world, inputs);
  assert.equal(exitCode, 0, stdout);
  return sent;
}

function stateOf(world: World): string | undefined {
  const file = path.join(world.workspace, STATE);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

describe('a state file', () => {
  test('lets later runs send only what has changed, and name what is no longer in the build', async () => {
    await using world = await openWorld({ files: FILES });
    // A gate that fails takes nothing from what arrived.
    const first = await run(world, { 'fail-if': 'cpu_count > 0' });
    assert.deepEqual([first.exitCode, first.sent], [1, ALL]);

    const same = await run(world, {}, { task: 'upload' });
    assert.deepEqual(same.sent, []);
    assert.deepEqual(
      ['uploaded-count', 'unchanged-count', 'skipped-count'].map(name => same.outputs[name]),
      ['0', '4', '0'],
    );
    for (const { status: ending, path: place, source } of same.report.files)
      assert.deepEqual([ending, place], ['unchanged', `/home/user/${source}`]);
    assert.match(same.stdout, /^unchanged: a\.txt/m);
    assert.match(same.report.headline, /4 .*unchanged/);

    world.write({ 'a.txt': 'AAA', 'b.txt': 'longer', 'new.txt': 'new' });
    const before = stateOf(world);
    const dry = await run(world, { 'dry-run': 'true' });
    assert.deepEqual([dry.outputs['skipped-count'], dry.outputs['unchanged-count']], ['3', '2']);
    // Nor is the state touched if nothing is sent, since the sandbox is not ready.
    const late = await run(world, { 'wait-until': 'cpu_count > 99', 'wait-timeout': '10ms' });
    assert.deepEqual([late.exitCode, late.sent], [1, []]);
    assert.equal(stateOf(world), before);

    assert.deepEqual(await sentBy(world), ['a.txt', 'b.txt', 'new.txt']);
    const { sent, annotations, report } = await run(world, { files: '**\n!dir/**' });
    assert.deepEqual(sent, []);
    assert.deepEqual(report.orphaned, ['/home/user/dir/c.txt']);
    assert.match(annotations('notice').join(), /^Still in the sandbox.*\/home\/user\/dir\/c\.txt/);
  });

  test('names no file that this run stored, however its target is spelled', async () => {
    await using world = await openWorld({ files: FILES });
    await run(world, { target: '/home/user/app' });
    assert.deepEqual((await run(world, { target: 'app' })).report.orphaned, []);
  });

  test('holds hashes and no secret, for the user alone, and is not uploaded itself', async () => {
    const large = Buffer.alloc(3_000_000, 'large');
    await using world = await openWorld({ files: { ...FILES, large } });
    const inputs = { 'include-hidden-files': 'true', headers: 'X-Api-Key: secret-of-one-run' };
    await sentBy(world, inputs);
    const state = stateOf(world) ?? '';
    for (const content of ['aaa', large])
      assert.ok(state.includes(createHash('sha256').update(content).digest('hex')));
    assert.ok(!state.includes(TOKEN) && !state.includes('secret-of-one-run'));
    const { mode } = statSync(path.join(world.workspace, STATE));
    assert.equal(mode & 0o777, WINDOWS ? 0o666 : 0o600);
    assert.deepEqual(readdirSync(path.join(world.workspace, '.sandbox-sync')), ['state.json']);
    assert.deepEqual(await sentBy(world, inputs), []);
  });

  test('stays removed after a failure, so that the next run sends everything', async () => {
    const fault = { path: 'b.txt', skip: 1, times: 1 };
    await using world = await openFaulty(status(400), fault, { files: FILES });
    await sentBy(world);
    world.write({ 'b.txt': 'BBB' });
    const failed = await run(world);
    assert.deepEqual([failed.exitCode, failed.outputs['unchanged-count']], [1, '3']);
    assert.equal(stateOf(world), undefined);
    assert.deepEqual(await sentBy(world), ALL);
  });

  test('is removed before the first request, and stays so if the step is killed', {
    skip: WITHOUT_SIGNALS,
  }, async () => {
    await using world = await openWorld({ files: FILES });
    await sentBy(world);
    world.write({ 'b.txt': 'BBB' });
    let before: string | undefined = 'not looked at';
    const kill = when('b.txt', signal => {
      before = stateOf(world);
      signal('SIGKILL');
    });
    await run(world, {}, kill);
    assert.deepEqual([before, stateOf(world)], [undefined, undefined]);
    assert.deepEqual(await sentBy(world), ALL);
  });

  test('is ignored with a warning if it is of another sandbox', async () => {
    await using world = await openWorld({ files: FILES });
    await sentBy(world);
    const inputs = { 'sandbox-id': 'sandbox2', 'dry-run': 'true' };
    const { outputs, warnings } = await run(world, inputs);
    assert.equal(outputs['unchanged-count'], '0');
    assert.match(warnings, /another sandbox.*ignored/);
  });

  test('fails two files that turn out to be one place', async () => {
    await using world = await openWorld({ files: FILES });
    const files = 'a.txt => app/x\nb.txt => /home/user/app/x';
    const { exitCode, report } = await run(world, { files });
    assert.equal(exitCode, 1);
    for (const { status: ending, error } of report.files) {
      assert.equal(ending, 'failed');
      assert.match(error?.message ?? '', /same place.*\/home\/user\/app\/x/);
    }
    assert.equal(stateOf(world), undefined);
  });

  test('that cannot be written is a warning', async () => {
    await using world = await openWorld({ files: FILES });
    const folder = path.dirname(path.join(world.workspace, STATE));
    const block = when('b.txt', () => {
      rmSync(folder, { recursive: true, force: true });
      writeFileSync(folder, 'in the way');
    });
    const { exitCode, warnings } = await run(world, {}, block);
    assert.equal(exitCode, 0);
    assert.match(warnings, /state file could not be written/);
  });
});
