import assert from 'node:assert/strict';
import { appendFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { WITHOUT_SIGNALS } from '../system.ts';
import { runPost, startJob } from './monitoring.ts';

const SIGNAL_AT = import.meta.resolve('../action/signal-at.js');

test('a post step that is cancelled leaves no record behind', {
  skip: WITHOUT_SIGNALS,
}, async () => {
  await using job = await startJob();
  await job.use(10, 1);
  await job.post({}, { NODE_OPTIONS: `--import=${SIGNAL_AT}`, SIGNAL: 'SIGINT' });
  assert.equal(existsSync(job.directory), false);
});

test('a post step that is cancelled still reports the peak of the longest record', {
  skip: WITHOUT_SIGNALS,
}, async () => {
  const figures = { mem_total: 1000, mem_used: 100, mem_used_pct: 10, cpu_used_pct: 12.5 };
  const line = (at: number) => `${JSON.stringify({ at, figures })}\n`;
  const start = Date.now();
  const post = await runPost(
    { 'fail-if': 'mem_used_pct > 90' },
    (recorder, directory) => {
      recorder.start(start);
      const lines = Array.from({ length: 49_999 }, (_, index) => line(start + index));
      const peak = line(start + 50_000).replace('"mem_used_pct":10', '"mem_used_pct":95');
      appendFileSync(path.join(directory, 'record.jsonl'), `${lines.join('')}${peak}`);
    },
    { env: { NODE_OPTIONS: `--import=${SIGNAL_AT}`, SIGNAL: 'SIGINT' } },
  );
  assert.match(post.stdout, /Cancelled: peak over 50,000 samples: .*memory 95 %/);
  assert.equal(post.outputs['gate'], 'failed');
});
