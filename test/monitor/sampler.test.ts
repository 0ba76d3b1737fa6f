import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { monitorFiles } from '../../src/monitor/record.ts';
import { recordSamples, sampleTimeout, waitForSampler } from '../../src/monitor/sampler.ts';
import { fakeClock } from '../clock.ts';
import { openTempFolder } from '../transfer/temp-folder.ts';

test('recordSamples records after each interval, and once more when the job ends', async () => {
  const lines = ['5 sample', '10 sample', '10 end: enough'];
  assert.deepEqual(await recorded({ stopAt: 2 }), lines);
});

test('recordSamples records failed samples', async () => {
  const errors = [new AgentError('connection', 'Slow.'), new AgentError('cancelled', 'Cut.')];
  const lines = ['5 failed: Slow.', '10 failed: Cut.', '10 end: enough'];
  assert.deepEqual(await recorded({ errors, stopAt: 2 }), lines);
});

test('recordSamples ends when the record is full', async () => {
  const lines = ['5 sample', '10 sample', '10 end: its record was full'];
  assert.deepEqual(await recorded({ fullAt: 2 }), lines);
});

test('recordSamples throws errors that are bugs', async () => {
  await assert.rejects(recorded({ errors: [new TypeError('a bug')] }), /a bug/);
});

interface Recording {
  /** Of the first samples. */
  readonly errors?: readonly Error[];
  /** The sample during which the job ends. */
  readonly stopAt?: number;
  /** The number of samples that fill the record. */
  readonly fullAt?: number;
}

/** Returns the lines recorded with an interval of 5 ms. */
async function recorded({ errors = [], stopAt, fullAt = 99 }: Recording): Promise<string[]> {
  const lines: string[] = [];
  const stop = new AbortController();
  const { sleep, now } = fakeClock();
  let samples = 0;
  const read = async () => {
    const error = errors[samples];
    samples += 1;
    if (samples === stopAt) stop.abort('enough');
    if (error !== undefined) throw error;
    return { json: '{"mem_used":1}' };
  };
  await recordSamples(read, {
    intervalMs: 5,
    sleep,
    stop: stop.signal,
    now,
    isFull: () => samples >= fullAt,
    write(line) {
      if ('stats' in line) lines.push(`${line.at} sample`);
      else if ('end' in line) lines.push(`${line.at} end: ${line.end}`);
      else lines.push(`${line.at} failed: ${line.failure}`);
    },
  });
  return lines;
}

test('a sample times out after 10 s or the interval if longer, and at most after timeout', () => {
  assert.equal(sampleTimeout({ timeout: 60_000, sampleInterval: 5000 }), 10_000);
  assert.equal(sampleTimeout({ timeout: 60_000, sampleInterval: 30_000 }), 30_000);
  assert.equal(sampleTimeout({ timeout: 3000, sampleInterval: 30_000 }), 3000);
});

test('waitForSampler gives up after 8 s', async () => {
  using folder = openTempFolder();
  writeFileSync(monitorFiles(folder.path).pid, String(process.pid));
  let ms = 0;
  const sleep = async (pause: number) => {
    ms += pause;
    return ms < 60_000;
  };
  const stop = new AbortController().signal;
  await waitForSampler(folder.path, { sleep, stop, clock: () => ms });
  assert.equal(ms, 8000);
});
