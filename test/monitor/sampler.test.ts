import assert from 'node:assert/strict';
import { appendFileSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { monitorFiles, readRecord } from '../../src/monitor/record.ts';
import { recordSamples, startSampler, waitForSampler } from '../../src/monitor/sampler.ts';
import { MAX_RECORD_BYTES } from '../../src/stats/sample.ts';
import { fakeClock } from '../clock.ts';
import { statsFromJson } from '../stats/stats-from-json.ts';
import { openTempFolder } from '../transfer/temp-folder.ts';

test('recordSamples records after each interval, and once more when the job ends', async () => {
  const expected = { at: [5, 10], failures: [], end: 'enough' };
  assert.deepEqual(await recorded({ stopAt: 2 }), expected);
});

test('recordSamples records failed samples', async () => {
  const errors = [new AgentError('connection', 'Slow.'), new AgentError('cancelled', 'Cut.')];
  const expected = { at: [15], failures: ['Slow.', 'Cut.'], end: 'enough' };
  assert.deepEqual(await recorded({ errors, stopAt: 3 }), expected);
});

test('recordSamples ends when the record is full', async () => {
  const expected = { at: [5, 10], failures: [], end: 'its record was full' };
  assert.deepEqual(await recorded({ fullAt: 2 }), expected);
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

/** Returns the times of samples taken with an interval of 5 ms, the failures and the end. */
async function recorded({ errors = [], stopAt, fullAt = 99 }: Recording) {
  using folder = openTempFolder();
  const { record } = monitorFiles(folder.path);
  writeFileSync(record, '');
  const stop = new AbortController();
  const { sleep, now } = fakeClock();
  let samples = 0;
  const read = async () => {
    const error = errors[samples];
    samples += 1;
    if (samples === stopAt) stop.abort('enough');
    if (samples === fullAt) appendFileSync(record, `${' '.repeat(MAX_RECORD_BYTES)}\n`);
    if (error !== undefined) throw error;
    return statsFromJson('{"mem_used":1}');
  };
  await recordSamples(folder.path, read, { intervalMs: 5, sleep, stop: stop.signal, now });
  const { samples: seen, failures, end } = readRecord(folder.path);
  return { at: seen.map(({ at }) => at), failures, end };
}

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

test('startSampler fails with the error of a sampler that ends at once', async () => {
  using place = mkdtempDisposableSync(path.join(tmpdir(), 'sampler-'));
  // More than a pipe holds, so they cannot be sent before the process ends.
  const inputs = { headers: 'x'.repeat(4 * 1024 * 1024) };
  const script = path.join(place.path, 'missing.js');
  await assert.rejects(startSampler(script, place.path, inputs), {
    name: 'InputError',
    message: /^monitor: its process ended at once: Error: Cannot find module .*missing\.js/,
  });
});
