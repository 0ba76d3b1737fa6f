import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readRecord } from '../../src/monitor/record.ts';
import { type Fault, type FaultAction, proxyError, STALL, statusFault } from '../support/faults.ts';
import { type Inputs, runAction } from '../support/run-action.ts';
import { pollUntil, startMonitor } from '../support/running-monitor.ts';
import { SKIP_WITHOUT_BASH } from '../support/system.ts';
import { openJob } from '../support/test-job.ts';

const GATED = { 'fail-if': 'mem_used_pct > 90', 'sample-interval': '200ms' };

/** Runs a command that ends once this many requests for stats have arrived. */
async function runUntil(requests: number, faults: readonly Fault[], inputs: Inputs = GATED) {
  await using job = await openJob({ runCommands: true, faults });
  const done = path.join(job.root, 'home/user/done');
  let count = 0;
  const onRequest = () => {
    count += 1;
    if (count === requests) writeFileSync(done, '');
  };
  const run = 'until [ -e done ]; do sleep 0.05; done';
  return await runAction(job, { run, ...inputs }, { task: 'run', onRequest });
}

const GONE = proxyError('The sandbox was not found');
const NOT_SEEN = /^The sandbox was not seen from \S+ UTC to \S+ UTC\.$/m;

/** How the stats fail, after how many requests the command ends, and the last words. */
const OUTAGES: Readonly<Record<string, readonly [FaultAction, number, RegExp]>> = {
  'a sandbox that is gone (404)': [statusFault(404, GONE), 23, /the last: GET \S+ answered 404/],
  'a sandbox that is gone (502)': [statusFault(502, GONE), 23, /answered 502 .*was not found/],
  'stats that hang': [STALL, 7, /the last: .* did not end within timeout|had not answered after/],
  'stats that answer 500': [statusFault(500, 'oops'), 23, /answered 500 .*oops/],
  'stats that answer 503': [statusFault(503), 23, /answered 503 Service Unavailable/],
};

describe('gaps in what run sees', { concurrency: 6, skip: SKIP_WITHOUT_BASH }, () => {
  for (const [name, [fault, requests, says]] of Object.entries(OUTAGES))
    test(`run fails a gate that has not seen the sandbox: [${name}]`, async () => {
      const faults = [{ on: 'stats', skip: 2, do: fault }] as const;
      const inputs = { ...GATED, timeout: '1s' };
      const { exitCode, outputs, errors, warnings } = await runUntil(requests, faults, inputs);
      assert.deepEqual([exitCode, outputs['exit-code'], outputs['gate']], [1, '0', 'failed']);
      assert.match(errors, NOT_SEEN);
      assert.match(errors, says);
      assert.equal(warnings, '');
    });

  test('run passes if one sample fails among good ones, with a warning if there are conditions', async () => {
    const faults = [{ on: 'stats', skip: 4, times: 1, do: statusFault(500) }] as const;
    for (const [conditions, state, says] of [
      [GATED, 'passed', /^1 sample failed: GET \S+ answered 500/],
      [{ ...GATED, 'fail-if': '' }, 'none', /^$/],
    ] as const) {
      const { exitCode, outputs, warnings } = await runUntil(8, faults, conditions);
      assert.deepEqual([exitCode, outputs['gate']], [0, state]);
      assert.match(warnings, says);
    }
  });

  test('run passes if the connection for the stats is lost for 4 s in the middle', async () => {
    const lost = { kind: 'reset', at: 'before-body' } as const;
    const faults = [{ on: 'stats', skip: 4, times: 19, do: lost }] as const;
    const { exitCode, outputs, report } = await runUntil(26, faults);
    assert.deepEqual([exitCode, outputs['gate']], [0, 'passed']);
    assert.equal(report.stats.monitored?.failures.length, 19);
  });

  test('run passes if the stats answer slowly', async () => {
    const slow = { kind: 'wait', for: () => delay(1000) } as const;
    const faults = [{ on: 'stats', skip: 1, do: slow }] as const;
    // The command ends during the second slow response.
    const { exitCode, outputs, report, warnings } = await runUntil(3, faults);
    assert.deepEqual([exitCode, outputs['gate'], warnings], [0, 'passed', '']);
    assert.equal(report.stats.samples.length, 2);
  });
});

describe('gaps in what a monitor sees', { concurrency: 6 }, () => {
  for (const [name, fault, count, says] of [
    ['25 of 26 samples failed', statusFault(503), 25, /[2-9]\d samples failed, the last: .* 503 /],
    ['the sandbox hangs', STALL, 4, /\d samples failed, the last: .* did not end within timeout/],
  ] as const)
    test(`monitor/stop fails if the sandbox was not seen at the end [${name}]`, async () => {
      const faults = [{ on: 'stats', skip: 1, do: fault }] as const;
      await using monitor = await startMonitor({ ...GATED, timeout: '1s' }, { faults });
      await pollUntil(() => readRecord(monitor.directory).attempts.length > count);
      const { exitCode, outputs, errors } = await monitor.stop();
      assert.deepEqual([exitCode, outputs['gate']], [1, 'failed']);
      assert.match(errors, NOT_SEEN);
      assert.match(errors, says);
    });

  test('a monitor whose sandbox a later step deletes fails, unless monitor/stop comes before', async () => {
    for (const stopsFirst of [true, false]) {
      await using monitor = await startMonitor(GATED);
      const { service } = monitor.job;
      const attempts = () => readRecord(monitor.directory).attempts;
      await pollUntil(() => attempts().length > 2);
      const stop = stopsFirst ? await monitor.stop() : undefined;
      for (const id of service.running()) service.remove(service.find(id) ?? assert.fail(id));
      if (stop !== undefined) {
        assert.deepEqual([stop.exitCode, stop.outputs['gate']], [0, 'passed']);
        assert.equal((await monitor.post()).exitCode, 0);
        continue;
      }
      const failed = () => attempts().filter(({ kind }) => kind === 'failure').length;
      await pollUntil(() => failed() >= 20);
      const post = await monitor.post();
      assert.deepEqual([post.exitCode, post.outputs['gate']], [1, 'failed']);
      assert.match(post.errors, /samples failed, the last: GET \S+ answered 502 .*was not found/);
    }
  });
});
