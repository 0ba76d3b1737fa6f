import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  appendAttempt,
  monitorFile,
  readRecord,
  saveEnd,
  saveResponse,
} from '../../src/monitor/record.ts';
import type { Attempt } from '../../src/stats/samples.ts';
import { openTempFolder } from '../support/temp-folder.ts';

const DIED = 'the process that took the samples was killed or hangs';

const ATTEMPTS: readonly Attempt[] = [
  {
    kind: 'sample',
    askedAt: 1,
    at: 2,
    figures: new Map(Object.entries({ mem_used: Number.MAX_SAFE_INTEGER, ['__proto__']: -1e-7 })),
  },
  { kind: 'failure', askedAt: 3, at: 4, message: 'no\nresponse' },
  { kind: 'sample', askedAt: 5, at: 6, figures: new Map() },
];

test('readRecord returns what was appended, without the partial line of a killed sampler', () => {
  using directory = openTempFolder();
  const end = { early: DIED };
  assert.deepEqual(readRecord(directory.path), { attempts: [], response: '', end });
  for (const attempt of ATTEMPTS) appendAttempt(directory.path, attempt);
  saveResponse(directory.path, '{"load":1.5,"note":"a longer response"}');
  saveResponse(directory.path, '{"load":2}');
  appendFileSync(monitorFile(directory.path, 'record'), '{"kind":"sample","askedAt":7,"at');
  const expected = { attempts: ATTEMPTS, response: '{"load":2}', end };
  assert.deepEqual(readRecord(directory.path), expected);
});

test('readRecord returns why sampling ended, or what a sampler that died has written to stderr', () => {
  using directory = openTempFolder();
  writeFileSync(monitorFile(directory.path, 'errors'), 'TypeError: bad\n    at f (x.js:1)\n');
  const early = `${DIED} (it wrote: TypeError: bad at f (x.js:1))`;
  assert.deepEqual(readRecord(directory.path).end, { early });
  for (const end of ['requested', { early: 'max-duration was over' }] as const) {
    saveEnd(directory.path, end);
    assert.deepEqual(readRecord(directory.path).end, end);
  }
});
