import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { parseInputs } from '../../src/inputs/parse-inputs.ts';
import { readRecord } from '../../src/monitor/record.ts';
import { startMonitor } from '../../src/monitor/start-monitor.ts';
import { answering, http, rawServer } from '../support/raw-server.ts';
import { simulateAgent } from '../support/simulated-transfer.ts';
import { openTempFolder } from '../support/temp-folder.ts';

test('startMonitor fails with the last words of a sampler that ends at once', async () => {
  using folder = openTempFolder();
  await using server = await rawServer(answering(http(200, '{"load":1}')));
  const raw = { 'sandbox-id': 'i1', token: 'a-token', 'base-url': `http://${server.host}` };
  // A pipe cannot buffer these inputs, so the process ends while they are still being written.
  const sent = { ...raw, headers: 'x'.repeat(4 * 1024 * 1024) };
  const script = path.join(folder.path, 'missing.js');
  const { context } = simulateAgent();
  const starting = startMonitor(parseInputs('monitor', raw), sent, context, {
    script,
    openDirectory: () => folder.path,
  });
  await assert.rejects(starting, {
    name: 'InputError',
    message: /^monitor: its process ended at once: .*Cannot find module .*missing\.js/,
  });
});

test('a sampler ends when the process of its job has died', () => {
  using folder = openTempFolder();
  const { pid } = spawnSync(process.execPath, ['--version']);
  const script = path.resolve(import.meta.dirname, '../../dist/monitor-sampler.js');
  const sandbox = { 'sandbox-id': 'i1', token: 'a-token', 'base-url': 'http://127.0.0.1:1' };
  const input = JSON.stringify({ ...sandbox, 'sample-interval': '1h' });
  execFileSync(process.execPath, [script, folder.path, String(pid)], { input, timeout: 30_000 });
  const { attempts, end } = readRecord(folder.path);
  assert.deepEqual(end, { early: 'its job is gone' });
  const kinds = attempts.map(({ kind }) => kind);
  assert.deepEqual(kinds, ['failure']);
});
