import assert from 'node:assert/strict';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startSampler } from '../../src/monitor/start.ts';

test('startSampler fails with the error of a sampler that ends at once', async () => {
  using place = mkdtempDisposableSync(path.join(tmpdir(), 'sampler-'));
  // More than a pipe holds, so they cannot be sent before the process ends.
  const inputs = { headers: 'x'.repeat(4 * 1024 * 1024) };
  const options = { inputs, jobPid: process.pid };
  const script = path.join(place.path, 'missing.js');
  await assert.rejects(startSampler(script, place.path, options), {
    name: 'InputError',
    message: /^monitor: its process ended at once: Error: Cannot find module .*missing\.js/,
  });
});
