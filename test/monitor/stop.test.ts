import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import {
  actionOf,
  openWorld,
  type Result,
  runAction,
  runBadly,
  runWell,
} from '../action/harness.ts';
import { WITHOUT_SIGNALS } from '../system.ts';
import { type Job, processIn, startJob, until } from './monitoring.ts';

const GATED = { 'fail-if': 'mem_used_pct > 90' };
const SIGNAL_AT = import.meta.resolve('../action/signal-at.js');

/** Asserts that the post step did nothing, said nothing and left nothing behind. */
function assertSilent(post: Result, { directory }: Job): void {
  const { exitCode, stdout, stderr, summary, outputs } = post;
  assert.deepEqual(
    { exitCode, stdout, stderr, summary, outputs },
    {
      exitCode: 0,
      stdout: '',
      stderr: '',
      summary: '',
      outputs: {},
    },
  );
  assert.equal(existsSync(directory), false);
}

suite('monitor/stop', { concurrency: 2 }, () => {
  test('judges in the middle of a job what the monitor saw, and the post step says nothing', async () => {
    await using job = await startJob({ ...GATED, 'warn-if': 'mem_used_pct.max > 50' });
    await job.use(60, 4);
    await job.use(20, 4);
    const stop = await job.stop();
    assert.equal(stop.exitCode, 0, stop.stdout);
    const { gate, breaches, aggregates, ...others } = stop.outputs;
    assert.equal(gate, 'warned');
    assert.equal(JSON.parse(breaches ?? '')[0].figure, 60);
    assert.equal(JSON.parse(aggregates ?? '').mem_used_pct.max, 60);
    assert.equal(others['mem-used-pct'], '20.00');
    assert.equal(JSON.parse(others['stats'] ?? '').mem_used, 200);
    assert.ok(stop.report.succeeded);
    assert.match(stop.summary, /^<h3>⚠️ Sandbox Sync .*\n\n<p>Memory peaked at 60 % .* gate warned/);
    await until(() => (processIn(job.directory) === undefined ? true : undefined));
    assertSilent(await job.post(), job);
  });

  test('has the outputs that its action.yml declares', async () => {
    await using job = await startJob();
    await job.use(10, 1);
    const { outputs } = await job.stop();
    const { outputs: declared } = await actionOf('monitor-stop');
    assert.deepEqual(Object.keys(outputs).sort(), declared.map(({ name }) => name).sort());
  });

  test('fails its step if the gate failed', async () => {
    await using job = await startJob(GATED);
    await job.use(95, 2);
    const stop = await job.stop();
    assert.deepEqual([stop.exitCode, stop.outputs['gate']], [1, 'failed']);
    assert.match(stop.annotations('error').join(), /^Memory .*95 %.*, so the gate failed\./);
    assertSilent(await job.post(), job);
  });

  test('writes no summary if it is told so', async () => {
    await using job = await startJob();
    await job.use(10, 1);
    assert.equal((await job.stop({ summary: 'false' })).summary, '');
  });

  test('fails the gate for what was not seen, as the post step does', async () => {
    await using job = await startJob({ ...GATED, 'max-duration': '1s' });
    await until(() => existsSync(path.join(job.directory, 'ended')) || undefined);
    const stop = await job.stop();
    assert.deepEqual([stop.exitCode, stop.outputs['gate']], [1, 'failed']);
    assert.match(stop.stdout, /was not seen from .*, since the monitor had ended: max-duration/);
  });

  test('without a monitor fails, and says how to start one', async () => {
    await using world = await openWorld();
    const stop = await runBadly(world, {}, { task: 'monitor-stop' });
    assert.equal(stop.outputs['gate'], 'failed');
    assert.match(
      stop.annotations('error').join(),
      /^monitor: no monitor runs in this job\. Start one .* uses: sandbox-sync\/sandbox-sync\/monitor@v1/,
    );
  });

  test('of a monitor that was stopped already fails, and the post step stays silent', async () => {
    await using job = await startJob();
    await job.use(10, 1);
    await job.stop();
    const again = await job.stop();
    assert.match(
      again.annotations('error').join(),
      /^monitor: every monitor .* was stopped already/,
    );
    const named = await job.stop({ monitor: job.id });
    assert.match(named.annotations('error').join(), /is no monitor of this job, or was stopped/);
    assertSilent(await job.post(), job);
  });

  test('finds the monitor that still runs', async () => {
    await using job = await startJob();
    await job.use(10, 1);
    await job.stop();
    const { world } = job;
    await runWell(world, { name: 'second' }, { task: 'monitor' });
    const { exitCode, summary } = await job.stop();
    assert.equal(exitCode, 0);
    assert.match(summary, /second/);
  });

  test('of two monitors stops the one that is named; log and summary tell them apart', async () => {
    await using job = await startJob({ ...GATED, name: 'load test' });
    const { world } = job;
    const inputs = { name: 'all of it', 'fail-if': 'mem_used_pct.max < 5' };
    const other = await runWell(world, inputs, { task: 'monitor' });
    assert.match(other.stdout, /^all of it: monitoring sandbox sandbox1, a sample every 5 s$/m);
    await job.use(95, 3);

    const unnamed = await job.stop();
    assert.deepEqual([unnamed.exitCode, unnamed.outputs['gate']], [1, 'failed']);
    const [error = ''] = unnamed.annotations('error');
    assert.match(error, /^monitor: 2 monitors run in this job: /);
    for (const shown of [`"load test" (${job.id})`, `"all of it" (${other.outputs['monitor']})`])
      assert.ok(error.includes(shown), error);
    assert.match(error, /Example: monitor: \$\{\{ steps\.<its id>\.outputs\.monitor \}\}/);

    const stop = await job.stop({ monitor: job.id });
    assert.deepEqual([stop.exitCode, stop.report.name], [1, 'load test']);
    assert.match(stop.annotations('error').join(), /^load test: Memory .*95 %.* the gate failed/);
    assert.match(stop.summary, /^<h3>❌ Sandbox Sync \(<code>load test<\/code>, /);
    assertSilent(await job.post(), job);

    const post = await runAction(world, inputs, { task: 'monitor', post: other });
    assert.deepEqual(
      [post.exitCode, post.outputs['gate'], post.report.name],
      [0, 'passed', 'all of it'],
    );
    assert.match(post.stdout, /^all of it: /m);
    assert.match(post.summary, /^<h3>✅ Sandbox Sync \(<code>all of it<\/code>, /);
  });

  test('cannot be led elsewhere by the name of a monitor', async () => {
    await using job = await startJob(GATED);
    await job.use(10, 1);
    for (const monitor of ['../work', `${job.id}/..`, job.directory, 'sandbox-sync-monitor-']) {
      const stop = await job.stop({ monitor });
      assert.match(stop.annotations('error').join(), /is no monitor of this job/);
    }
    const post = await job.post();
    assert.deepEqual([post.exitCode, post.outputs['gate']], [0, 'passed'], post.stdout);
  });

  for (const [what, spoil] of Object.entries({
    'are gone': (file: string) => rmSync(file),
    'are no JSON': (file: string) => writeFileSync(file, '{'),
  })) {
    test(`fails if the monitor's inputs ${what}, and the post step judges`, async () => {
      await using job = await startJob(GATED);
      await job.use(10, 1);
      spoil(path.join(job.directory, 'inputs.json'));
      const stop = await job.stop();
      assert.deepEqual([stop.exitCode, stop.outputs['gate']], [1, 'failed']);
      assert.match(stop.annotations('error').join(), /^monitor: its saved inputs are lost/);
      const post = await job.post();
      assert.deepEqual([post.exitCode, post.outputs['gate']], [0, 'passed'], post.stdout);
    });
  }

  test('that is cancelled says so, and the post step has nothing to add', {
    skip: WITHOUT_SIGNALS,
  }, async () => {
    await using job = await startJob(GATED);
    await job.use(10, 2);
    const env = { NODE_OPTIONS: `--import=${SIGNAL_AT}`, SIGNAL: 'SIGINT' };
    const stop = await job.stop({}, env);
    assert.deepEqual([stop.exitCode, stop.report.cancelled], [1, true]);
    assertSilent(await job.post(), job);
  });

  test('that is killed leaves it to the post step to judge', {
    skip: WITHOUT_SIGNALS,
  }, async () => {
    await using job = await startJob(GATED);
    await job.use(95, 2);
    const env = { NODE_OPTIONS: `--import=${SIGNAL_AT}`, SIGNAL: 'SIGKILL' };
    assert.notEqual((await job.stop({}, env)).exitCode, 0);
    const post = await job.post();
    assert.deepEqual([post.exitCode, post.outputs['gate']], [1, 'failed']);
    assert.match(post.annotations('error').join(), /Memory .*95 %/);
  });

  test('keeps no secret where a later step could read it', async () => {
    await using job = await startJob({ headers: 'X-Api-Key: the-other-secret' });
    await job.use(10, 1);
    const kept = readFileSync(path.join(job.directory, 'inputs.json'), 'utf8');
    assert.doesNotMatch(kept, /the-access-token-42|the-other-secret/);
  });
});
