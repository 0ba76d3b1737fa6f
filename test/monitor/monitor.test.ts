import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { readRecord } from '../../src/monitor/record.ts';
import { directoryOf, openJob, until } from './monitoring.ts';

const METRICS = { cpu_count: 2, cpu_used_pct: 5, mem_total: 1000, mem_used: 100 };

function stats(count: number) {
  return (job: { agent: { requests: readonly unknown[] } }) =>
    until(() => (job.agent.requests.length >= count ? count : undefined));
}

describe('a monitor', { concurrency: 2 }, () => {
  test('samples from the main step to the post step, which reports', async () => {
    let used = 100;
    await using job = await openJob({ metrics: () => ({ ...METRICS, mem_used: used }) });
    const main = await job.main();
    assert.equal(main.exitCode, 0, main.stdout + main.stderr);
    assert.deepEqual(Object.keys(main.state), ['directory']);
    assert.equal(main.summary, '');
    await stats(2)(job);
    used = 950;
    await stats(4)(job);
    used = 200;
    await stats(6)(job);
    const post = await job.post(main);
    assert.equal(post.exitCode, 0, post.stdout + post.stderr);
    const { mem_used_pct } = JSON.parse(post.outputs['aggregates'] ?? '');
    assert.deepEqual([mem_used_pct.min, mem_used_pct.max, mem_used_pct.last], [10, 95, 20]);
    assert.match(post.stdout, /At most in \d+ samples: CPU 5 %, memory 95 %/);
    assert.match(post.summary, /```mermaid\n%%\{init: .*\}%%\nxychart-beta/);
    assert.equal(existsSync(directoryOf(main)), false);
  });

  test('fails the job where fail-if trips, however briefly', async () => {
    let peak = false;
    await using job = await openJob({ metrics: () => ({ ...METRICS, mem_used: peak ? 950 : 100 }) });
    const main = await job.main();
    await stats(1)(job);
    peak = true;
    await stats(3)(job);
    peak = false;
    await stats(5)(job);
    const inputs = { 'fail-if': 'mem_used_pct > 90\nmem_used_pct.last > 90' };
    const post = await job.post(main, inputs);
    assert.equal(post.exitCode, 1);
    assert.match(
      post.stdout,
      /^::error::1 condition of fail-if tripped:%0Amem_used_pct > 90: it was 95 %25/m,
    );
    assert.equal(post.outputs['gate'], 'failed');
    assert.match(post.summary, /^<h3>❌ .*the gate is shut/);
  });

  test('of a job that ends at once has a first and a last sample', async () => {
    await using job = await openJob({ metrics: () => METRICS });
    const post = await job.post(await job.main({ interval: '1h' }));
    const report = JSON.parse(readFileSync(post.outputs['report'] ?? '', 'utf8'));
    assert.equal(report.samples.length, 2);
  });

  test('survives readings that fail, and says how many', async () => {
    await using job = await openJob({
      metrics: () => METRICS,
      faults: [{ on: 'stats', skip: 1, times: 2, do: { kind: 'reset', at: 'after-body' } }],
    });
    const main = await job.main();
    await stats(5)(job);
    const post = await job.post(main);
    assert.equal(post.exitCode, 0, post.stdout);
    assert.match(
      post.stdout,
      /^::warning::2 readings failed, the first: GET .* failed: the connection was reset/m,
    );
  });

  test('that never gets an answer fails the job, with the reason', async () => {
    await using job = await openJob();
    const main = await job.main({ token: 'a-wrong-token' });
    await stats(1)(job);
    const post = await job.post(main, { token: 'a-wrong-token' });
    assert.equal(post.exitCode, 1);
    assert.match(
      post.stdout,
      /^::error::The sandbox was not sampled once\.%0AGET .* answered 401 .* Check that token is /m,
    );
  });

  test('ends the last reading too, where the agent stalls', async () => {
    await using job = await openJob({
      faults: [{ on: 'stats', skip: 1, do: { kind: 'stall', at: 'answering' } }],
    });
    const main = await job.main();
    await stats(2)(job);
    const post = await job.post(main);
    assert.equal(post.exitCode, 0, post.stdout);
    assert.match(post.stdout, /readings? failed, the first: GET \S+ was cancelled/);
  });

  test('ends by itself after its longest duration', async () => {
    await using job = await openJob({ metrics: () => METRICS });
    const main = await job.main({ 'max-duration': '1s' });
    const end = await until(() => readRecord(directoryOf(main)).end);
    assert.match(end.what, /longest duration/);
    assert.equal((await job.post(main)).exitCode, 0);
  });

  test('does not disturb another in the same job', async () => {
    await using one = await openJob({ metrics: () => ({ ...METRICS, cpu_used_pct: 11 }) });
    await using other = await openJob({ metrics: () => ({ ...METRICS, cpu_used_pct: 22 }) });
    const mains = [await one.main(), await one.main({ 'base-url': other.agent.url })] as const;
    await stats(3)(one);
    await stats(3)(other);
    const posts = [await one.post(mains[0]), await one.post(mains[1], { 'base-url': other.agent.url })];
    const cpu = posts.map(post => JSON.parse(post.outputs['aggregates'] ?? '').cpu_used_pct);
    assert.deepEqual(
      cpu.map(({ min, max }) => [min, max]),
      [
        [11, 11],
        [22, 22],
      ],
    );
  });

  test('that could not start leaves its post step nothing to do', async () => {
    await using job = await openJob();
    const main = await job.main({ interval: 'soon', 'fail-if': 'mem_usd_pct > 1' });
    assert.equal(main.exitCode, 1);
    assert.match(main.stdout, /interval: "soon" is not a length of time/);
    assert.match(main.stdout, /did you mean mem_used_pct\?/);
    assert.deepEqual(main.state, {});
    const post = await job.post(main);
    assert.deepEqual([post.exitCode, post.stdout, post.outputs], [0, '', {}]);
    assert.equal(job.agent.requests.length, 0);
  });
});
