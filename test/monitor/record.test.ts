import assert from 'node:assert/strict';
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  loadInputs,
  monitorFile,
  readRecord,
  saveFile,
  saveSample,
} from '../../src/monitor/record.ts';
import type { Observation } from '../../src/stats/sampling.ts';
import { openTempFolder } from '../support/temp-folder.ts';

const DIED = 'the process that took the samples was killed or hangs';

const OBSERVATIONS: readonly Observation[] = [
  {
    kind: 'sample',
    askedAt: 1,
    at: 2,
    figures: { mem_used: Number.MAX_SAFE_INTEGER, ['__proto__']: -1e-7 },
  },
  { kind: 'failure', askedAt: 3, at: 4, message: 'no\nresponse' },
  { kind: 'sample', askedAt: 5, at: 6, figures: {} },
];

test('readRecord returns what was appended, without the partial line of a killed sampler', () => {
  using directory = openTempFolder();
  const more = { endReason: DIED, requestedAt: undefined };
  assert.deepEqual(readRecord(directory.path), { observations: [], response: {}, ...more });
  const responses = [{ load: 1.5, note: 'a longer response' }, undefined, { load: 2 }];
  for (const [index, observation] of OBSERVATIONS.entries()) {
    const response = responses[index];
    saveSample(
      directory.path,
      response === undefined ? { observation } : { observation, response },
    );
  }
  appendFileSync(monitorFile(directory.path, 'record'), '{"kind":"sample","askedAt":7,"at');
  const expected = { observations: OBSERVATIONS, response: { load: 2 }, ...more };
  assert.deepEqual(readRecord(directory.path), expected);
});

test('readRecord returns why sampling ended, or what a sampler that died has written to stderr', () => {
  using directory = openTempFolder();
  writeFileSync(monitorFile(directory.path, 'errors'), 'TypeError: bad\n    at f (x.js:1)\n');
  const endReason = `${DIED} (it wrote: TypeError: bad at f (x.js:1))`;
  assert.deepEqual(readRecord(directory.path).endReason, endReason);
  const over = 'max-duration ran out';
  saveFile(directory.path, 'end', { endReason: over });
  assert.equal(readRecord(directory.path).endReason, over);
  saveFile(directory.path, 'end', { requestedAt: 5 });
  const { endReason: none, requestedAt } = readRecord(directory.path);
  assert.deepEqual([none, requestedAt], [undefined, 5]);
});

test('loadInputs finds no inputs in an incomplete file', () => {
  using directory = openTempFolder();
  const inputs = { 'fail-if': 'mem_used_pct > 80' };
  saveFile(directory.path, 'inputs', inputs);
  assert.deepEqual(loadInputs(directory.path), inputs);
  truncateSync(monitorFile(directory.path, 'inputs'), 20);
  assert.equal(loadInputs(directory.path), undefined);
});
