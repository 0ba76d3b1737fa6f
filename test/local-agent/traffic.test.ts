import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSandbox } from './harness.ts';

test('connections and the highest number of uploads in flight are counted', async () => {
  await using sandbox = await openSandbox();
  await Promise.all(['/a', '/b', '/c'].map(path => sandbox.put(path, 'x')));
  await sandbox.stats();
  const ports = new Set(sandbox.agent.requests.map(request => request.remotePort));
  assert.equal(ports.size, sandbox.agent.connections());
  assert.ok(sandbox.agent.maxInFlight >= 1 && sandbox.agent.maxInFlight <= 3);
});

test('nothing is recorded when recording is off', async () => {
  await using sandbox = await openSandbox({ record: false });
  await sandbox.put('/a', 'x');
  assert.deepEqual(sandbox.agent.requests, []);
  assert.equal(sandbox.agent.maxInFlight, 1);
});
