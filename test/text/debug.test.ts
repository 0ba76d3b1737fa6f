import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DebugLog, openDebugLog } from '../../src/text/debug.ts';

/** The lines of a debug log in which `s3cret` is a secret. */
function linesOf(write: (log: DebugLog) => void): string[] {
  const lines: string[] = [];
  const log = openDebugLog(
    line => void lines.push(line),
    text => text.replaceAll('s3cret', '***'),
  );
  write(log);
  log.end();
  return lines;
}

test('the debug log has a line for each of a text, without secrets or what cannot be seen, and cut', () => {
  const lines = linesOf(({ debug }) => debug('plan', `one s3cret\ntwo\r\n${'x'.repeat(2001)}`));
  assert.deepEqual(lines, ['one ***', 'two\\r', `${'x'.repeat(2000)}…`]);
});

test('the debug log has 200 of a kind, a thousand failures, and says how many more there were', () => {
  const lines = linesOf(({ debug }) => {
    for (let index = 0; index < 1500; index += 1) {
      debug('request', 'one\ntwo');
      debug('failed request', 'failed');
    }
    for (let index = 0; index < 200; index += 1) debug('connection', 'connected');
    debug('level change', 'level');
    for (let index = 0; index < 201; index += 1) debug('reading', 'read');
  });
  const counts = Object.fromEntries([...Map.groupBy(lines, line => line)].map(([line, all]) => [line, all.length]));
  assert.deepEqual(counts, {
    one: 200,
    two: 200,
    failed: 1000,
    connected: 200,
    level: 1,
    read: 200,
    'Not shown: 1,300 further requests': 1,
    'Not shown: 500 further failed requests': 1,
    'Not shown: 1 further reading': 1,
  });
});
