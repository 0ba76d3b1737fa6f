import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { eventLog, progressLine } from '../../src/github/event-log.ts';
import { file } from '../report/file-results.ts';

const files = [file('a.js', 1024), file('b.js', 3072)];

test('a progress line shows files, bytes and the rate', () => {
  const line = progressLine(files, { files: 1, bytes: 2048 }, 2000);
  assert.equal(line, '1 of 2 files, 2 KiB of 4 KiB, 1 KiB/s');
});

test('a progress line never shows more bytes than the files have', () => {
  assert.match(progressLine(files, { files: 2, bytes: 9999 }, 1000), /, 4 KiB of 4 KiB,/);
});

function createLog() {
  const lines: string[] = [];
  const onEvent = eventLog({ line: text => lines.push(text), output: () => {}, debug: () => {} });
  return { lines, onEvent };
}

test('the log shows the progress of an upload every 15 s until it ends', t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { lines, onEvent } = createLog();
  onEvent({ kind: 'start', files, title: 'Uploading' });
  onEvent({ kind: 'sent', bytes: 1024 });
  t.mock.timers.tick(15_000);
  onEvent({ kind: 'end' });
  t.mock.timers.tick(60_000);
  assert.match(lines.join('\n'), /^Uploading\n0 of 2 files, 1 KiB of 4 KiB, .*$/);
});

test('the log names the files of a retry', () => {
  const { lines, onEvent } = createLog();
  const error = new AgentError('busy', 'It was busy.');
  onEvent({ kind: 'retry', files, retry: { attempt: 1, error, delayMs: 1000 } });
  assert.deepEqual(lines, ['Attempt 1 for a.js and 1 more failed, next in 1 s: It was busy.']);
});
