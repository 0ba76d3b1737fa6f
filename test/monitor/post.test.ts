import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { openWorld, runBadly } from '../action/harness.ts';
import { WITHOUT_SIGNALS } from '../system.ts';
import { startJob, until } from './monitoring.ts';

const SIGNAL_AT = import.meta.resolve('../action/signal-at.js');

suite('the post step of a monitor', { concurrency: 2 }, () => {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    test(`that gets ${signal} says that it was cancelled, fails, and leaves nothing`, {
      skip: WITHOUT_SIGNALS,
    }, async () => {
      const faults = [{ on: 'stats', skip: 1, do: { kind: 'stall', at: 'answering' } }] as const;
      await using job = await startJob({}, { faults });
      await until(() => job.world.agent.requests.length >= 2 || undefined);
      const post = await job.post({}, { NODE_OPTIONS: `--import=${SIGNAL_AT}`, SIGNAL: signal });
      assert.deepEqual(
        [post.exitCode, post.report.cancelled, post.report.succeeded],
        [1, true, false],
      );
      assert.match(
        post.annotations('error').at(-1) ?? '',
        /^Cancelled: peak over|^Cancelled: the sandbox reports/,
      );
      assert.match(post.summary, /^<h3>⛔ Sandbox Sync \(.*\): Cancelled/);
      assert.equal(existsSync(job.directory), false);
    });
  }

  for (const [what, of] of Object.entries({
    'the temporary directory': world => world.temp,
    'a directory in it of another': world => path.join(world.temp, 'mine'),
    'what a name of it leads to': world =>
      path.join(world.temp, 'sandbox-sync-monitor-x', '..', '..', 'work'),
    'a directory elsewhere': world => path.join(world.workspace, 'sandbox-sync-monitor-x'),
    'one deeper': world => path.join(world.temp, 'mine', 'sandbox-sync-monitor-x'),
  } satisfies Record<string, (world: Awaited<ReturnType<typeof openWorld>>) => string>)) {
    test(`fails, and removes nothing, where its state names ${what}`, async () => {
      await using world = await openWorld();
      const directory = of(world);
      mkdirSync(directory, { recursive: true });
      const state = { directory, inputs: '{"fail-if":"mem_used_pct > 90"}' };
      const post = await runBadly(world, {}, { task: 'monitor', post: { state } });
      assert.deepEqual([post.outputs['gate'], existsSync(directory)], ['failed', true]);
      assert.match(
        post.annotations('error').join(),
        /^monitor: ".*" is not a monitor directory below RUNNER_TEMP/,
      );
      assert.ok(!readdirSync(directory).includes('end'));
    });
  }
});

test('fails, and removes the record, where what the monitor was started with is lost', async () => {
  await using world = await openWorld();
  const directory = path.join(world.temp, 'sandbox-sync-monitor-x');
  mkdirSync(directory);
  const post = await runBadly(
    world,
    { 'fail-if': '' },
    { task: 'monitor', post: { state: { directory } } },
  );
  assert.match(post.annotations('error').join(), /^monitor: its saved inputs are lost\./);
  assert.equal(existsSync(directory), false);
});

test('without GITHUB_STATE, no monitor starts that nobody would end', async () => {
  await using world = await openWorld();
  const main = await runBadly(world, {}, { task: 'monitor', env: { GITHUB_STATE: undefined } });
  assert.match(
    main.annotations('error').join(),
    /^monitor: cannot start: GITHUB_STATE is not set\./,
  );
  assert.equal(
    readdirSync(world.temp).some(name => name.startsWith('sandbox-sync-monitor-')),
    false,
  );
  assert.equal(world.agent.connections(), 0);
});
