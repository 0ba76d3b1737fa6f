import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { WITHOUT_SIGNALS } from '../system.ts';
import { startJob } from './monitoring.ts';

const SIGNAL_AT = import.meta.resolve('../action/signal-at.js');

test('a post step that is cancelled leaves no record behind', { skip: WITHOUT_SIGNALS }, async () => {
  await using job = await startJob();
  await job.use(10, 1);
  await job.post({}, { NODE_OPTIONS: `--import=${SIGNAL_AT}`, SIGNAL: 'SIGINT' });
  assert.equal(existsSync(job.directory), false);
});
