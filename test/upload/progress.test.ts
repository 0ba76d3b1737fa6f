import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logProgress } from '../../src/upload/upload.ts';
import { plannedFile } from '../support/simulated-transfer.ts';

const files = [plannedFile('a.js', 1024), plannedFile('b.js', 3072)];

test('the log shows the progress of an upload every 15 s until it ends', t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lines: string[] = [];
  let now = 0;
  const log = { line: (text: string) => lines.push(text), output() {}, debug() {}, warning() {} };
  {
    using progress = logProgress(files, { clock: () => now, log });
    progress.onSent(1536);
    now = 1000;
    t.mock.timers.tick(15_000);
    // Multipart framing and retries send more than the files' sizes, so the figure is capped.
    progress.onSent(9999);
    progress.onStored(1);
    t.mock.timers.tick(15_000);
  }
  t.mock.timers.tick(60_000);
  assert.deepEqual(lines, [
    '0 of 2 files, 1.5 KiB of 4 KiB, 1.5 KiB/s',
    '1 of 2 files, 4 KiB of 4 KiB, 4 KiB/s',
  ]);
});
