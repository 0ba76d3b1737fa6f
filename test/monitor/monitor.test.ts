import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { hasEnded } from '../../src/monitor/record.ts';
import { type Result } from '../support/result.ts';
import { expectFailure, runAction } from '../support/run-action.ts';
import {
  isRunning,
  pollUntil,
  STALLING_LAST_SAMPLE,
  startMonitor,
} from '../support/running-monitor.ts';
import { openJob, SANDBOX_ID, type TestJob } from '../support/test-job.ts';

const GATED = { 'fail-if': 'mem_used_pct > 90' };

function monitorDirectories({ temp }: TestJob): string[] {
  return readdirSync(temp).filter(name => name.startsWith('sandbox-sync-monitor-'));
}

describe('monitors', { concurrency: 3 }, () => {
  // The slowest test comes first: its post step waits 8 s for the killed sampler.
  test('a killed monitor fails the gate', async () => {
    await using monitor = await startMonitor(GATED);
    process.kill(monitor.pid, 'SIGKILL');
    const says = /was not seen from .*\nSampling had ended: the process .* was killed or hangs\./;
    assertGateFailed(await monitor.post(), says);
  });

  // The sampler cancels its last sample after 5 s.
  test('a monitor cancels its last sample if the agent stalls', async () => {
    await using monitor = await startMonitor(GATED, STALLING_LAST_SAMPLE);
    const post = await monitor.post();
    assert.equal(post.exitCode, 0, post.stdout);
    const says = /^1 sample failed: The sandbox had not answered after ([5-9]|\d\d)(\.\d)? s\.$/m;
    assert.match(post.warnings, says);
  });

  test('a monitor takes a first and a last sample, and leaves nothing behind', async () => {
    await using monitor = await startMonitor(GATED);
    monitor.setMemory(20);
    const post = await monitor.post();
    assert.deepEqual([post.exitCode, post.stderr, post.outputs['gate']], [0, '', 'passed']);
    const used = post.report.stats.samples.map(({ figures }) => figures['mem_used_pct']);
    assert.deepEqual(used, [10, 20]);
    assert.equal(JSON.parse(post.outputs['stats'] ?? '').mem_used, 8_589_934_592 / 5);
    assert.equal(post.warnings, '');
    assert.deepEqual(monitorDirectories(monitor.job), []);
    await pollUntil(() => !isRunning(monitor.pid));
  });

  test('a monitor records a peak between start and end, which fails the gate', async () => {
    await using monitor = await startMonitor({ ...GATED, 'sample-interval': '200ms' });
    monitor.setMemory(95);
    const peak = monitor.job.agent.requests.length + 2;
    await pollUntil(() => monitor.job.agent.requests.length >= peak);
    monitor.setMemory(20);
    const post = await monitor.post();
    assertGateFailed(post, /95 %/);
    const { min, max, last } = JSON.parse(post.outputs['aggregates'] ?? '').mem_used_pct;
    assert.deepEqual([min, max, last], [10, 95, 20]);
  });

  // A composite action may pass other inputs to the post step than to the main step.
  test('the post step of a monitor uses the inputs of its main step, whatever inputs it gets', async () => {
    await using monitor = await startMonitor({ ...GATED, summary: 'false' });
    monitor.setMemory(95);
    const others = { 'fail-if': '', 'sandbox-id': 'other', token: 'none', summary: 'true' };
    const post = await monitor.post(others);
    assertGateFailed(post, /95 %/);
    assert.deepEqual([post.summary, post.report.sandbox.id], ['', SANDBOX_ID]);
  });

  test('a monitor that reaches max-duration fails the gate', async () => {
    await using monitor = await startMonitor({ ...GATED, 'max-duration': '1s' });
    await pollUntil(() => hasEnded(monitor.directory));
    assertGateFailed(await monitor.post(), /^Sampling had ended: max-duration ran out\./m);
  });

  test('a monitor fails if its files are lost, even without a gate', async () => {
    const reset = { kind: 'reset', at: 'after-body' } as const;
    const faults = [{ on: 'stats', skip: 1, do: reset }] as const;
    await using monitor = await startMonitor({}, { faults });
    rmSync(monitor.directory, { recursive: true });
    const post = await monitor.post();
    assert.equal(post.exitCode, 1, post.stdout);
    assert.match(post.errors, /^monitor: its record is lost: /m);
  });

  const cases = {
    'a wrong token': [{ token: 'a-wrong-token' }, /answered 401/],
    'a fail-if on a metric that the sandbox does not report': [
      { 'fail-if': 'mem_used_pct > 90\ngpu > 1' },
      /^fail-if: gpu > 1 cannot be judged: the sandbox does not report gpu; it reports .*mem_used_pct/m,
    ],
  } as const;
  for (const [name, [inputs, says]] of Object.entries(cases))
    test(`a monitor does not start if its first sample fails or cannot be judged [${name}]`, async () => {
      await using job = await openJob();
      const main = await expectFailure(job, { ...GATED, ...inputs }, { task: 'monitor' });
      assert.match(main.errors, says);
      assert.deepEqual([main.state, monitorDirectories(job)], [{}, []]);
      const post = await runAction(job, {}, { task: 'monitor', post: main });
      assert.deepEqual([post.exitCode, post.stdout, post.outputs], [0, '', {}]);
    });
});

function assertGateFailed(post: Result, says: RegExp): void {
  assert.deepEqual([post.exitCode, post.outputs['gate']], [1, 'failed']);
  assert.match(post.errors, says);
}
