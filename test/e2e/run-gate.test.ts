import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { beginAnswer, endAnswer, endFrame, LAST_FRAME, startFrame } from '../process-frames.ts';
import { closed } from '../raw-server.ts';
import { fail, openCommandJob, succeed, WITHOUT_BASH } from './command-job.ts';
import { expectFailure, expectSuccess } from './run-action.ts';
import { answer, openScriptedAgent } from './scripted-agent.ts';
import { METRICS, metricsInTurn, openJob } from './test-job.ts';

describe('the gate of run', { concurrency: 3, skip: WITHOUT_BASH }, () => {
  const gate = { run: 'true', 'fail-if': 'cpu_used_pct > 90', 'sample-interval': '1h' };

  test('a command shorter than the interval is judged by a sample just after it', async () => {
    // The sample before the command is not judged.
    const metrics = metricsInTurn('cpu_used_pct', 99, 50);
    const { outputs, report } = await succeed(gate, { metrics });
    assert.equal(outputs['gate'], 'passed');
    assert.deepEqual(
      report.samples.map(({ figures }) => figures['cpu_used_pct']),
      [50],
    );
  });

  test('a gate that trips fails a command that exits with 0', async () => {
    const metrics = metricsInTurn('cpu_used_pct', 0, 95);
    const { outputs, errors } = await fail(gate, { metrics });
    assert.deepEqual([outputs['gate'], outputs['exit-code']], ['failed', '0']);
    assert.match(errors, /cpu_used_pct > 90 tripped: 95 %/);
    assert.match(errors, /The gate failed: CPU 95 % > 90 %\. true exited with 0/);
  });

  test('nothing is started if the gate cannot be judged', async () => {
    const blind = { run: 'true', 'fail-if': 'gpu_used > 1' };
    await using job = await openCommandJob();
    const { errors, outputs } = await expectFailure(job, blind, { task: 'run' });
    assert.match(errors, /gpu_used/);
    assert.deepEqual([outputs['gate'], outputs['exit-code']], ['failed', '']);
    job.addFaults({ on: 'stats', do: { kind: 'status', status: 404 } });
    const { errors: without } = await expectFailure(job, gate, { task: 'run' });
    assert.match(without, /GET .*\/metrics answered 404/);
    const urls = job.agent.requests.map(({ url }) => url);
    assert.deepEqual([...new Set(urls)], ['/metrics']);
  });

  test('a command runs without a gate even if there are no stats', async () => {
    const faults = [{ on: 'stats', do: { kind: 'status', status: 404 } }] as const;
    const { outputs, report } = await succeed({ run: 'true' }, { faults });
    assert.deepEqual([outputs['gate'], report.stats], ['none', null]);
  });

  test('a command runs, and its warn-if warns, even if there are no stats', async () => {
    const faults = [{ on: 'stats', do: { kind: 'status', status: 404 } }] as const;
    const warning = { run: 'true', 'warn-if': 'mem_used_pct > 90' };
    const { outputs, warnings } = await succeed(warning, { faults });
    assert.deepEqual([outputs['gate'], outputs['exit-code']], ['warned', '0']);
    assert.match(warnings, /The sandbox was not seen from/);
  });
});

test('run takes samples as long as its command runs, and judges no others', async () => {
  const { promise: running, resolve: run } = Promise.withResolvers<() => Promise<void>>();
  let count = 0;
  await using agent = await openScriptedAgent({
    processes: {
      Start(socket) {
        beginAnswer(socket, [startFrame(42)]);
        run(() => {
          endAnswer(socket, [endFrame(0), LAST_FRAME]);
          return closed(socket);
        });
      },
    },
    stats(socket, request) {
      count += 1;
      const json = JSON.stringify({ ...METRICS, cpu_used_pct: count });
      const respond = () => answer(200, json)(socket, request);
      if (count < 4) return respond();
      // The command ends while this sample is taken. Its connection is closed once that was seen.
      void running.then(end => end()).then(respond);
    },
  });
  await using job = await openJob();
  const inputs = { 'base-url': agent.url, run: 'x', 'sample-interval': '200ms' };
  const { report } = await expectSuccess(job, inputs, { task: 'run' });
  assert.deepEqual(
    report.samples.map(({ figures }) => figures['cpu_used_pct']),
    [2, 3],
  );
  assert.equal(count, 4);
});

test('the gate of run fails if all of several samples failed, although the stats answer again after its end', async () => {
  const { promise: running, resolve: run } = Promise.withResolvers<() => void>();
  let count = 0;
  let isOver = false;
  await using agent = await openScriptedAgent({
    processes: {
      Start(socket) {
        beginAnswer(socket, [startFrame(42)]);
        run(() => {
          isOver = true;
          endAnswer(socket, [endFrame(0), LAST_FRAME]);
        });
      },
    },
    stats(socket, request) {
      count += 1;
      const isSeen = count === 1 || isOver;
      answer(isSeen ? 200 : 503, isSeen ? JSON.stringify(METRICS) : '')(socket, request);
      if (count === 3) void running.then(end => end());
    },
  });
  await using job = await openJob();
  const inputs = { 'base-url': agent.url, run: 'x', 'sample-interval': '200ms' };
  const gate = { ...inputs, 'fail-if': 'mem_used_pct > 99' };
  const { outputs, errors, report } = await expectFailure(job, gate, { task: 'run' });
  assert.deepEqual([outputs['gate'], outputs['exit-code']], ['failed', '0']);
  assert.deepEqual(report.samples, []);
  assert.match(errors, /The sandbox was not seen from/);
});
