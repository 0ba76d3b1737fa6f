import assert from 'node:assert/strict';
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { INPUTS } from '../../src/inputs/inputs.ts';
import { parseInputs } from '../../src/inputs/parse-inputs.ts';
import { hasEnded, hasFile, monitorFile, readRecord, saveFile } from '../../src/monitor/record.ts';
import { startMonitor } from '../../src/monitor/start-monitor.ts';
import '../support/built-dist.ts';
import { answering, http, onRequest, rawServer } from '../support/raw-server.ts';
import { pollUntil } from '../support/running-monitor.ts';
import { simulateAgent } from '../support/simulated-transfer.ts';
import { openTempFolder, type TempFolder } from '../support/temp-folder.ts';

const DIST = path.resolve(import.meta.dirname, '../../dist');

/** Starts a monitor, whose directory is `folder`, with this script as its sampler. */
async function startWith(script: string, folder: TempFolder, host: string) {
  const raw = { 'sandbox-id': 'i1', token: 'the-token', 'base-url': `http://${host}` };
  const files = { script, openDirectory: () => folder.path };
  const given = { ...raw, 'sample-interval': '1h' };
  await startMonitor(parseInputs(INPUTS.monitor, given), given, simulateAgent().context, files);
}

test('startMonitor fails with the words of a sampler that ends at once, and leaves nothing to judge', async () => {
  using folder = openTempFolder();
  await using server = await rawServer(answering(http(200, '{"load":1}')));
  await assert.rejects(startWith(folder.at('missing.js'), folder, server.host), {
    name: 'InputError',
    message:
      /^monitor: its process ended at once with 1 \(it wrote: .*Cannot find module .*missing\.js/,
  });
  assert.equal(hasFile(folder.path, 'judged'), true);
});

test('the first sample of a monitor is tried three times', async () => {
  using folder = openTempFolder();
  let requests = 0;
  const refuse = onRequest(socket => {
    requests += 1;
    socket.write(http(503));
  });
  await using server = await rawServer(refuse);
  await assert.rejects(startWith(folder.at('missing.js'), folder, server.host), /answered 503/);
  assert.equal(requests, 3);
});

test('a sampler has loaded all that it needs when startMonitor ends', async () => {
  using folder = openTempFolder();
  using action = openTempFolder();
  await using server = await rawServer(answering(http(200, '{"load":1}')));
  cpSync(DIST, action.at('dist'), { recursive: true });
  await startWith(action.at('dist/monitor-sampler.js'), folder, server.host);
  rmSync(action.at('dist'), { recursive: true });
  saveFile(folder.path, 'stop');
  await pollUntil(() => hasEnded(folder.path));
  const { observations, endReason } = readRecord(folder.path);
  assert.deepEqual(
    [observations.map(({ kind }) => kind), endReason],
    [['sample', 'sample'], undefined],
  );
});

/** Runs the sampler of a job that is gone until it ends. */
async function runSampler(directory: string): Promise<void> {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const script = path.join(DIST, 'monitor-sampler.js');
  const sampler = fork(script, [directory, String(pid)], { execArgv: [] });
  const sandbox = { 'sandbox-id': 'i1', token: 'the-token', 'base-url': 'http://127.0.0.1:1' };
  sampler.send({ ...sandbox, 'sample-interval': '1h' });
  await once(sampler, 'exit');
}

test('a sampler ends when the process of its job has died', async () => {
  using folder = openTempFolder();
  await runSampler(folder.path);
  const { observations, endReason } = readRecord(folder.path);
  assert.deepEqual(
    [observations.map(({ kind }) => kind), endReason],
    [['failure'], 'its job is gone'],
  );
});

test('a sampler that cannot record a sample leaves behind why', async () => {
  using folder = openTempFolder();
  const record = monitorFile(folder.path, 'record');
  mkdirSync(record);
  await runSampler(folder.path);
  rmSync(record, { recursive: true });
  assert.match(readRecord(folder.path).endReason ?? '', /^a sample could not be recorded: E/);
});
