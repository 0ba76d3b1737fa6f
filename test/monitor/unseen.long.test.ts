import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite, test } from 'node:test';
import type { Recorder } from '../../src/monitor/recorder.ts';
import { ASKED } from '../../src/monitor/sampler.ts';
import { unlessLinux } from '../system.ts';
import { runPost, samplerIn, startJob } from './monitoring.ts';

suite('a sampling process that sees no more', {
  concurrency: 4,
  skip: unlessLinux('reads /proc'),
}, () => {
  for (const name of ['SIGKILL', 'SIGTERM', 'SIGSTOP']) {
    for (const [level, exitCode] of [
      ['fail-if', 1],
      ['warn-if', 0],
    ] as const) {
      test(`since it got ${name} trips ${level}`, async () => {
        await using job = await startJob({ [level]: 'mem_used_pct > 90' });
        await job.use(10, 2);
        const pid = await samplerIn(job.directory);
        process.kill(pid, name);
        try {
          const post = await job.post();
          assert.deepEqual(
            [post.exitCode, post.outputs['gate']],
            [exitCode, exitCode === 1 ? 'failed' : 'warned'],
          );
          assert.match(
            post.stdout,
            /was not seen from \S+ UTC to \S+ UTC, since something else ended the monitor\./,
          );
        } finally {
          if (name === 'SIGSTOP') process.kill(pid, 'SIGKILL');
        }
      });
    }
  }

  test('for more than ten intervals, while the agent stalls, trips fail-if', async () => {
    const faults = [
      { on: 'stats', skip: 2, times: 1, do: { kind: 'stall', at: 'answering' } },
    ] as const;
    await using job = await startJob(
      { timeout: '2500ms', 'fail-if': 'mem_used_pct > 90' },
      { faults },
    );
    await job.use(10, 6);
    const post = await job.post();
    assert.deepEqual([post.exitCode, post.outputs['gate']], [1, 'failed'], post.stdout);
    assert.match(
      post.annotations('error').join('\n'),
      /The sandbox was not seen from \S+ UTC to \S+ UTC\.$/m,
    );
  });
});

test('a record of 64 KiB of names a reading, others each time, takes little memory', async t => {
  const file = import.meta.resolve('../action/peak-memory.js');
  const peakFile = path.join(mkdtempSync(path.join(tmpdir(), 'peak-')), 'peak');
  t.after(() => rmSync(path.dirname(peakFile), { recursive: true }));
  const start = Date.now();
  const write = (recorder: Recorder, directory: string) => {
    recorder.start(start);
    for (let index = 0; index < 400; index += 1) {
      const names = Array.from({ length: 5000 }, (_, name) => [`f${index}_${name}`, 1] as const);
      const figures = { ...Object.fromEntries(names), mem_used: index };
      const line = JSON.stringify({ at: start, figures });
      appendFileSync(path.join(directory, 'record.jsonl'), `${line}\n`);
    }
    recorder.end({ at: Date.now(), what: ASKED });
  };
  const env = { NODE_OPTIONS: `--import=${file}`, PEAK_MEMORY_FILE: peakFile };
  const post = await runPost({ 'fail-if': 'mem_used == 399B' }, write, { env });
  assert.match(post.annotations('error').join('\n'), /^Memory was at 399 B \(limit 399 B\) /m);
  const peak = Number(readFileSync(peakFile, 'utf8')) / 2 ** 20;
  t.diagnostic(`${Math.round(peak)} MiB at most`);
  assert.ok(peak < 400, `${peak} MiB`);
});
