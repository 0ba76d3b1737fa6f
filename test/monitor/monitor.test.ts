import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { suite, test } from 'node:test';
import { hasEnded } from '../../src/monitor/directory.ts';
import { readRecord } from '../../src/monitor/record.ts';
import { METRICS, openWorld, runAction, runBadly } from '../action/harness.ts';
import { startJob, until } from './monitoring.ts';

const PEAK =
  'Memory peaked at 95 % \\(limit 90 %\\) at [\\d:]+ UTC, too high (for|in) .*, so the gate failed\\.';

suite('a monitor', { concurrency: 2 }, () => {
  test('samples from the main step to the post step, which reports', async () => {
    await using job = await startJob();
    await job.use(10, 4);
    await job.use(95, 2);
    await job.use(20, 4);
    const post = await job.post();
    assert.equal(post.exitCode, 0, post.stdout + post.stderr);
    const { mem_used_pct } = JSON.parse(post.outputs['aggregates'] ?? '');
    assert.deepEqual([mem_used_pct.min, mem_used_pct.max, mem_used_pct.last], [10, 95, 20]);
    assert.match(post.stdout, /Peak over \d+ samples: CPU 12\.5 %, memory 95 %/);
    assert.match(post.summary, /```mermaid\n%%\{init: .*\}%%\nxychart-beta/);
    assert.equal(existsSync(job.directory), false);
  });

  test('fails the job where fail-if trips, however briefly', async () => {
    await using job = await startJob({ 'fail-if': 'mem_used_pct > 90\nmem_used_pct.last > 90' });
    await job.use(95, 2);
    await job.use(10, 2);
    const post = await job.post();
    assert.equal(post.exitCode, 1);
    const [error = ''] = post.annotations('error');
    assert.match(error, /^Memory peaked at 95 % \(limit 90 %\) at .*, so the gate failed\./);
    assert.equal(post.outputs['gate'], 'failed');
    assert.match(post.summary, new RegExp(`^<h3>❌ Sandbox Sync \\(.*\\): ${PEAK}`));
    assert.match(post.annotations('error').at(-1) ?? '', new RegExp(`^${PEAK}`));
  });

  const foreign = {
    'fail-if': 'cpu_used_pct > 1',
    'sandbox-id': 'other',
    token: 'none',
    'base-url': 'https://h',
  };
  const none = {
    'fail-if': '',
    'sandbox-id': '',
    token: '',
    'base-url': '',
    'sample-interval': '',
    summary: '',
  };
  for (const [what, inputs] of Object.entries({ foreign, none })) {
    test(`judges what was asked for at its start, where the runner hands its end ${what} inputs`, async () => {
      await using job = await startJob({ 'fail-if': 'mem_used_pct > 90', summary: 'false' });
      await job.use(95, 2);
      const { outputs, stdout, summary, reportText } = await job.post(inputs);
      assert.deepEqual([outputs['gate'], summary], ['failed', ''], stdout);
      assert.match(reportText, /"sandboxId":\s*"sandbox1"/);
    });
  }

  test('has in its stats what the service sent last, to the letter', async () => {
    const metrics = () => ({ ...METRICS, note: ['kept'] });
    await using job = await startJob({}, { metrics });
    const { stats = '' } = (await job.post()).outputs;
    assert.deepEqual(JSON.parse(stats), metrics());
  });

  test('of a job that ends at once has a first and a last sample', async () => {
    await using job = await startJob({ 'sample-interval': '1h' });
    const post = await job.post();
    assert.equal(JSON.parse(post.reportText).samples.length, 2);
  });

  test('survives samples that fail, and says how many', async () => {
    const faults = [
      { on: 'stats', skip: 1, times: 2, do: { kind: 'reset', at: 'after-body' } },
    ] as const;
    await using job = await startJob({}, { faults });
    await job.use(10, 4);
    const post = await job.post();
    assert.equal(post.exitCode, 0, post.stdout);
    const [warning = ''] = post.annotations('warning');
    assert.match(warning, /^2 samples failed, the first: GET .* failed: the connection was reset/);
  });

  test('that never gets an answer fails the job, with the reason', async () => {
    const token = { token: 'a-wrong-token' };
    await using job = await startJob(token);
    await job.use(10, 1);
    const post = await job.post();
    assert.equal(post.exitCode, 1);
    const [error = ''] = post.annotations('error');
    assert.match(
      error,
      /^The sandbox was never sampled\.\nGET .* answered 401 .* Check token \(the sandbox's access token/,
    );
  });

  test('has no word on samples after the job deleted its sandbox', async () => {
    const gone = { kind: 'status', status: 502, body: 'The sandbox was not found' } as const;
    await using job = await startJob({}, { faults: [{ on: 'stats', skip: 1, do: gone }] });
    await until(() => job.world.agent.requests.length >= 3 || undefined);
    const post = await job.post();
    assert.equal(post.exitCode, 0, post.stdout);
    assert.deepEqual(post.annotations('warning'), []);
  });

  test('ends the last sample too, where the agent stalls', async () => {
    const faults = [{ on: 'stats', skip: 1, do: { kind: 'stall', at: 'answering' } }] as const;
    await using job = await startJob({}, { faults });
    await until(() => job.world.agent.requests.length >= 2 || undefined);
    const post = await job.post();
    assert.equal(post.exitCode, 0, post.stdout);
    assert.match(
      post.stdout,
      /1 sample failed: GET \S+ was cancelled|samples failed, the first: GET \S+ was cancelled/,
    );
  });

  test('ends by itself after its longest duration, and says so', async () => {
    await using job = await startJob({ 'max-duration': '1s' });
    // Do not read the record meanwhile: that could keep it from being written.
    await until(() => hasEnded(job.directory) || undefined);
    assert.equal((await readRecord(job.directory, new Set())).end?.what, 'max-duration was over');
    const post = await job.post();
    assert.equal(post.exitCode, 0);
    const [warning] = post.annotations('warning');
    assert.match(
      warning ?? '',
      /^The sandbox was not seen from \S+ UTC to \S+ UTC, since .* max-duration was over\.$/,
    );
  });

  test('does not disturb another in the same job', async () => {
    await using one = await startJob();
    await using other = await startJob();
    await Promise.all([one.use(11, 3), other.use(22, 3)]);
    const posts = [await one.post(), await other.post()];
    const last = posts.map(post => JSON.parse(post.outputs['aggregates'] ?? '').mem_used_pct.last);
    assert.deepEqual(last, [11, 22]);
  });

  test('that could not start leaves its post step nothing to do', async () => {
    await using world = await openWorld();
    const main = await runBadly(
      world,
      { 'sample-interval': 'soon', 'fail-if': 'mem_usd_pct > 1' },
      { task: 'monitor' },
    );
    assert.match(main.stdout, /sample-interval: "soon" is not a duration/);
    assert.match(main.stdout, /did you mean mem_used_pct\?/);
    assert.deepEqual(main.state, {});
    const post = await runAction(world, {}, { task: 'monitor', post: main });
    assert.deepEqual([post.exitCode, post.stdout, post.outputs], [0, '', {}]);
    assert.equal(world.agent.requests.length, 0);
  });
});
