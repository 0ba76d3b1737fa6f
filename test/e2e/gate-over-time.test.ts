import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readRecord } from '../../src/monitor/record.ts';
import { proxyError, STALL, statusFault } from '../support/faults.ts';
import {
  expectFailure,
  expectRunFailure,
  expectRunSuccess,
  expectSuccess,
  preload,
} from '../support/run-action.ts';
import { pollUntil, startMonitor } from '../support/running-monitor.ts';
import { SKIP_WITHOUT_BASH } from '../support/system.ts';
import { METRICS, metricsInTurn, openJob } from '../support/test-job.ts';

describe('the gate of run', { concurrency: 3, skip: SKIP_WITHOUT_BASH }, () => {
  const gate = { run: 'true', 'fail-if': 'cpu_used_pct > 90', 'sample-interval': '1h' };

  // Its first sample is due after 1 s, by which a slow machine may not have run the command.
  const noFirstSample = preload(`import timers from 'node:timers/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const { setTimeout } = timers;
    timers.setTimeout = (ms, ...more) => setTimeout(ms === 1000 ? 1e6 : ms, ...more);
    syncBuiltinESMExports();`);

  for (const level of ['fail-if', 'warn-if'])
    test(`a command shorter than the interval is judged by a sample just after it [${level}]`, async () => {
      let done = '';
      // The sample before the command's start is not judged.
      const metrics = () => ({ ...METRICS, cpu_used_pct: existsSync(done) ? 50 : 99 });
      await using job = await openJob({ runCommands: true, metrics });
      done = path.join(job.root, 'home/user/done');
      const inputs = { ...gate, run: 'touch done', 'fail-if': '', [level]: gate['fail-if'] };
      const options = { task: 'run', env: noFirstSample } as const;
      const { outputs, report, summary } = await expectSuccess(job, inputs, options);
      assert.equal(outputs['gate'], 'passed');
      assert.match(summary, />After its end</);
      assert.deepEqual(
        report.stats.samples.map(({ figures }) => figures['cpu_used_pct']),
        [50],
      );
    });

  test('a gate that trips fails a command that exits with 0', async () => {
    const metrics = metricsInTurn('cpu_used_pct', 0, 95);
    const { outputs, errors, lines } = await expectRunFailure(gate, { metrics });
    assert.deepEqual([outputs['gate'], outputs['exit-code']], ['failed', '0']);
    assert.match(errors, /^true: gate failed: CPU 95 % > 90 %$/m);
    assert.ok(lines.some(line => line.startsWith('Exit code 0 after')));
  });

  test('run starts nothing if its gate cannot be judged because a metric is not reported', async () => {
    await using job = await openJob({ runCommands: true, metrics: () => ({ load: 1 }) });
    const { errors, outputs } = await expectFailure(job, gate, { task: 'run' });
    assert.match(errors, /cpu_used_pct/);
    assert.deepEqual([outputs['gate'], outputs['exit-code']], ['failed', undefined]);
    const urls = job.agent.requests.map(({ url }) => url);
    assert.deepEqual(urls, ['/metrics']);
  });

  test('warn-if does not stop a command whose sandbox has no stats, and warns', async () => {
    const inputs = { run: 'true', 'warn-if': 'mem_used_pct > 90' };
    const faults = [{ on: 'stats', do: statusFault(404) }] as const;
    const { outputs, warnings } = await expectRunSuccess(inputs, { faults });
    assert.deepEqual([outputs['gate'], outputs['exit-code']], ['warned', '0']);
    assert.match(warnings, /The sandbox was not seen from/);
  });
});

test('a command without conditions starts at once, and waits for no stats', {
  skip: SKIP_WITHOUT_BASH,
}, async () => {
  const faults = [{ on: 'stats', do: STALL }] as const;
  await using job = await openJob({ runCommands: true, faults });
  const { outputs, warnings } = await expectSuccess(job, { run: 'true' }, { task: 'run' });
  assert.deepEqual([outputs['gate'], outputs['exit-code'], warnings], ['none', '0', '']);
  const urls = job.agent.requests.map(({ url }) => url);
  // One request for the stats may come before, and is not waited for.
  assert.ok(urls.indexOf('/process.Process/Start') <= 1, urls.join(' '));
});

// See test/stats/gaps.test.ts for how long a gap may be.
const GATED = { 'fail-if': 'mem_used_pct > 90', 'sample-interval': '200ms', timeout: '1s' };

const GONE = statusFault(502, proxyError('The sandbox was not found'));
const NOT_SEEN = /the sandbox was not seen from \S+ UTC to \S+ UTC$/im;

describe('gaps in what is seen of a sandbox', { concurrency: 3 }, () => {
  for (const [name, fault, says] of [
    ['that is gone', GONE, /\d samples failed, the last: GET \S+ answered 502 .*was not found/],
    ['that hangs', STALL, /the last: .* did not end within timeout|had not answered after/],
  ] as const)
    test(`run fails a gate that has not seen the sandbox [${name}]`, {
      skip: SKIP_WITHOUT_BASH,
    }, async () => {
      const faults = [{ on: 'stats', skip: 1, do: fault }] as const;
      await using job = await openJob({ runCommands: true, faults });
      let count = 0;
      // The command ends once two samples have failed, or are about to.
      const onRequest = () => {
        count += 1;
        if (count === 3) writeFileSync(path.join(job.root, 'home/user/done'), '');
      };
      const inputs = { run: 'until [ -e done ]; do sleep 0.05; done', ...GATED };
      const result = await expectFailure(job, inputs, { task: 'run', onRequest });
      const { outputs, errors, warnings } = result;
      assert.deepEqual([outputs['exit-code'], outputs['gate'], warnings], ['0', 'failed', '']);
      assert.match(errors, NOT_SEEN);
      assert.match(errors, says);
    });

  // The clock of the runner is set forward by an hour before the step, and whenever it is read.
  const env = preload(`const hour = 3_600_000;
    let time = Date.now();
    Date.now = () => (time += hour);
    Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + hour });`);

  test('the gate and the duration of a command ignore that the clock of the runner is set', {
    skip: SKIP_WITHOUT_BASH,
  }, async () => {
    await using job = await openJob({ runCommands: true });
    const inputs = { run: 'sleep 0.3', ...GATED };
    const { outputs } = await expectSuccess(job, inputs, { task: 'run', env });
    assert.equal(outputs['gate'], 'passed');
    assert.ok(Number(outputs['duration-ms']) < 600_000, outputs['duration-ms']);
  });

  for (const end of ['stop', 'post'] as const)
    test(`a monitor has no gap if the clock of the runner is set before its end [${end}]`, async () => {
      await using monitor = await startMonitor(GATED);
      const { outputs, errors } = await monitor[end]({}, { env });
      assert.deepEqual([outputs['gate'], errors], ['passed', '']);
    });

  for (const end of ['stop', 'post'] as const)
    test(`a monitor fails if it has not seen the sandbox at the end [${end}]`, async () => {
      const faults = [{ on: 'stats', skip: 1, do: GONE }] as const;
      await using monitor = await startMonitor(GATED, { faults });
      await pollUntil(() => readRecord(monitor.directory).observations.length > 2);
      const { exitCode, outputs, errors } = await monitor[end]();
      assert.deepEqual([exitCode, outputs['gate']], [1, 'failed']);
      assert.match(errors, NOT_SEEN);
      assert.match(errors, /samples failed, the last: GET \S+ answered 502 .*was not found/);
    });
});
