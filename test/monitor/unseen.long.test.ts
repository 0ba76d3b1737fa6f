import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aggregatesOf } from '../../src/report/outputs.ts';
import { samplerIn, startJob } from './monitoring.ts';

suite('a sampling process that sees no more', { concurrency: 4, skip: process.platform !== 'linux' }, () => {
  for (const name of ['SIGKILL', 'SIGTERM', 'SIGSTOP']) {
    for (const [level, exitCode] of [
      ['fail-if', 1],
      ['warn-if', 0],
    ] as const) {
      test(`since it got ${name} trips ${level}`, async () => {
        await using job = await startJob();
        await job.use(10, 2);
        const pid = await samplerIn(job.directory);
        process.kill(pid, name);
        try {
          const post = await job.post({ [level]: 'mem_used_pct > 90' });
          assert.deepEqual([post.exitCode, post.outputs['gate']], [exitCode, exitCode === 1 ? 'failed' : 'warned']);
          assert.match(post.stdout, /was not seen from \S+ UTC to \S+ UTC, since the monitor was ended from outside\./);
        } finally {
          if (name === 'SIGSTOP') process.kill(pid, 'SIGKILL');
        }
      });
    }
  }

  test('for more than ten intervals, while the agent stalls, trips fail-if', async () => {
    const faults = [{ on: 'stats', skip: 2, times: 1, do: { kind: 'stall', at: 'answering' } }] as const;
    await using job = await startJob({ timeout: '2500ms', 'fail-if': 'mem_used_pct > 90' }, { faults });
    await job.use(10, 6);
    const post = await job.post();
    assert.deepEqual([post.exitCode, post.outputs['gate']], [1, 'failed'], post.stdout);
    assert.match(post.annotations('error').join('\n'), /The sandbox was not seen from \S+ UTC to \S+ UTC\.$/m);
  });
});

test('the aggregates of a thousand samples that report other metrics each take time in line with their number', () => {
  const samples = Array.from({ length: 1000 }, (_, at) => {
    return { at, figures: new Map(Array.from({ length: 256 }, (_, index) => [`f${at}_${index}`, 1n])) };
  });
  const time = (count: number) => {
    const start = performance.now();
    aggregatesOf(samples.slice(0, count));
    return performance.now() - start;
  };
  time(100);
  const fewer = Math.max(...[1, 2, 3].map(() => time(250)));
  // Where each metric is looked for in each sample, it is 16 times as long.
  assert.ok(time(1000) < 10 * fewer);
});
