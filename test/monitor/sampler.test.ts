import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { monitorFiles, readRecord } from '../../src/monitor/record.ts';
import { startSampler, waitForSampler } from '../../src/monitor/sampler.ts';
import { openTempFolder } from '../transfer/temp-folder.ts';

test('waitForSampler gives up after 8 s, since a killed sampler leaves its marker', async () => {
  using folder = openTempFolder();
  writeFileSync(monitorFiles(folder.path).pid, '');
  let ms = 0;
  const sleep = async (pause: number) => {
    ms += pause;
    return ms < 60_000;
  };
  const { signal: cancel } = new AbortController();
  await waitForSampler(folder.path, { sleep, cancel, clock: () => ms });
  assert.equal(ms, 8000);
});

test('startSampler fails with the error of a sampler that ends at once', async () => {
  using place = mkdtempDisposableSync(path.join(tmpdir(), 'sampler-'));
  // More than a pipe can buffer, so writing cannot finish before the process ends.
  const inputs = { headers: 'x'.repeat(4 * 1024 * 1024) };
  const script = path.join(place.path, 'missing.js');
  await assert.rejects(startSampler(script, place.path, inputs), {
    name: 'InputError',
    message: /^monitor: its process ended at once: Error: Cannot find module .*missing\.js/,
  });
});

test('a sampler ends when the process of its job has died', () => {
  using folder = openTempFolder();
  const { pid } = spawnSync(process.execPath, ['--version']);
  const script = path.resolve(import.meta.dirname, '../../dist/monitor-sampler.js');
  const sandbox = { 'sandbox-id': 'i1', token: 'a-token', 'base-url': 'http://127.0.0.1:1' };
  const input = JSON.stringify({ ...sandbox, 'sample-interval': '1h' });
  execFileSync(process.execPath, [script, folder.path, String(pid)], { input, timeout: 30_000 });
  assert.equal(readRecord(folder.path).endReason, 'its job is gone');
});
