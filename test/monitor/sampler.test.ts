import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { readRecord } from '../../src/monitor/record.ts';
import { startSampler } from '../../src/monitor/sampler.ts';
import { openTempFolder } from '../support/temp-folder.ts';

test('startSampler fails with the error of a sampler that ends at once', async () => {
  using folder = openTempFolder();
  // A pipe cannot buffer these inputs, so the process ends while they are still being written.
  const inputs = { headers: 'x'.repeat(4 * 1024 * 1024) };
  const script = path.join(folder.path, 'missing.js');
  await assert.rejects(startSampler(script, folder.path, inputs), {
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
