import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { monitorFile } from '../../src/monitor/record.ts';
import { type Result } from '../support/result.ts';
import type { RunOptions } from '../support/run-action.ts';
import {
  pollUntil,
  STALLING_LAST_SAMPLE,
  startMonitor,
  startMonitorIn,
} from '../support/running-monitor.ts';
import { SKIP_WITHOUT_SIGNALS, skipUnlessLinux } from '../support/system.ts';

const GATED = { 'fail-if': 'mem_used_pct > 90' };

/** Asserts that the post step wrote nothing, and that the monitor's directory is gone. */
function assertSilent(post: Result, { directory }: { directory: string }): void {
  const { exitCode, stdout, stderr, summary, outputs } = post;
  assert.deepEqual([exitCode, stdout, stderr, summary, outputs], [0, '', '', '', {}]);
  assert.equal(existsSync(directory), false);
}

describe('monitor/stop', { concurrency: 3 }, () => {
  test('monitor/stop judges the running monitor with an ID, or with a name that no other one has, and else fails', async () => {
    await using monitor = await startMonitor({ ...GATED, name: 'load test' });
    const inputs = { name: 'load test', 'warn-if': 'mem_used_pct.max > 50' };
    await using other = await startMonitorIn(monitor.job, inputs);
    monitor.setMemory(95);

    for (const name of ['', 'load test', '../work']) {
      const { exitCode, outputs, errors } = await monitor.stop({ monitor: name });
      assert.deepEqual([exitCode, outputs['gate']], [1, 'failed']);
      const start = 'monitor: must name exactly one running monitor of this job, not';
      assert.ok(errors.includes(`\n${start} "${name}". Running: `), errors);
      for (const { id } of [monitor, other])
        assert.ok(errors.includes(`"load test" (${id})`), errors);
    }

    const stop = await monitor.stop({ monitor: monitor.id, summary: 'false' });
    assert.deepEqual([stop.exitCode, stop.outputs['gate'], stop.summary], [1, 'failed', '']);
    assert.equal(stop.report.name, 'load test');
    assert.match(stop.stdout, /load test: /);
    const again = await monitor.stop({ monitor: monitor.id });
    assert.match(again.errors, /^monitor: must name exactly one running monitor of this job/m);
    const last = await monitor.stop({ monitor: 'load test' });
    assert.deepEqual([last.exitCode, last.outputs['gate']], [0, 'warned']);
    assert.equal(JSON.parse(last.outputs['tripped'] ?? '')[0].figure, 95);
    assert.notEqual(last.summary, '');
    const none = await monitor.stop();
    assert.deepEqual([none.exitCode, none.outputs['gate']], [1, 'failed']);
    assert.match(none.errors, /^monitor: no monitor runs in this job\. .* must come before/m);
    for (const each of [monitor, other]) assertSilent(await each.post(), each);
  });

  for (const step of ['stop', 'post'] as const)
    test(`a cancelled step that ends a monitor does not wait for the last sample [${step}]`, {
      skip: SKIP_WITHOUT_SIGNALS,
    }, async () => {
      const cancelAtSample: RunOptions = { onRequest: (_, signal) => signal('SIGINT') };
      await using monitor = await startMonitor(GATED, STALLING_LAST_SAMPLE);
      const { exitCode, report, outputs, stdout } = await monitor[step]({}, cancelAtSample);
      assert.deepEqual([exitCode, report.cancelled, report.succeeded], [1, true, false]);
      assert.equal(outputs['gate'], 'failed');
      assert.doesNotMatch(stdout, /not seen/);
      if (step === 'stop') assertSilent(await monitor.post(), monitor);
      assert.equal(existsSync(monitor.directory), false);
    });

  test('a step that ends a monitor with 60,000 samples publishes all of them after SIGTERM', {
    skip: SKIP_WITHOUT_SIGNALS,
  }, async () => {
    await using monitor = await startMonitor(GATED, STALLING_LAST_SAMPLE);
    const file = monitorFile(monitor.directory, 'record');
    const first = readFileSync(file, 'utf8');
    writeFileSync(file, first.repeat(60_000));
    const terminate: RunOptions = { onRequest: (_, signal) => signal('SIGTERM') };
    const { report, outputs, summary } = await monitor.post({}, terminate);
    assert.deepEqual([report.cancelled, report.stats.samples.length], [true, 60_000]);
    assert.deepEqual([outputs['gate'], outputs['mem-used-pct']], ['failed', '10']);
    assert.match(summary, /60000 samples from/);
  });

  test('the post step judges a monitor if monitor/stop was killed before it published', {
    skip: skipUnlessLinux('needs mkfifo'),
  }, async () => {
    await using monitor = await startMonitor(GATED);
    const { outside } = monitor.job;
    const pipe = path.join(outside, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const outputs = path.join(outside, 'outputs');
    writeFileSync(outputs, '');
    // After its last output, the step blocks on the pipe, since nobody reads that.
    const isBlocked = () => /^report<</m.test(readFileSync(outputs, 'utf8'));
    const stop = await monitor.stop(
      {},
      {
        env: { GITHUB_OUTPUT: outputs, GITHUB_STEP_SUMMARY: pipe },
        onRequest: (_, signal) => void pollUntil(isBlocked).then(() => signal('SIGKILL')),
      },
    );
    assert.notEqual(stop.exitCode, 0);
    assert.equal((await monitor.post()).outputs['gate'], 'passed');
  });
});
