import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  appendLine,
  isStopped,
  loadInputs,
  markStopped,
  monitorFiles,
  readRecord,
  requestStop,
  samplerPid,
  saveInputs,
} from '../../src/monitor/record.ts';
import { STOP_REQUESTED } from '../../src/stats/sample.ts';
import { statsFromJson } from '../stats/stats-from-json.ts';
import { openTempFolder } from '../transfer/temp-folder.ts';

test('readRecord returns the samples, failures and end that were appended', () => {
  using directory = openTempFolder();
  const first = '{"mem_used":9007199254740993,"load":1.5,"note":"a\\nb"}';
  appendLine(directory.path, { at: 1, ...statsFromJson(first) });
  appendLine(directory.path, { failure: 'no answer' });
  appendLine(directory.path, { at: 3, ...statsFromJson('{"load":2,"ts":"x"}') });
  appendLine(directory.path, { end: STOP_REQUESTED });
  const { samples, failures, end } = readRecord(directory.path);
  const loads = samples.map(({ at, figures }) => ({ [at]: figures.get('load') }));
  assert.deepEqual(loads, [{ 1: 1.5 }, { 3: 2 }]);
  assert.equal(samples.at(-1)?.json, '{"load":2,"ts":"x"}');
  assert.deepEqual(failures, ['no answer']);
  assert.equal(end, STOP_REQUESTED);
});

test('readRecord skips the partial line of a killed sampler', () => {
  using directory = openTempFolder();
  appendLine(directory.path, { at: 1, ...statsFromJson('{"ts":1}') });
  appendFileSync(monitorFiles(directory.path).record, '{"at":2,"json":"{\\"ts');
  const { samples, end } = readRecord(directory.path);
  assert.deepEqual([samples.map(({ at }) => at), end], [[1], undefined]);
});

const CRASHES = {
  'the error of an uncaught exception': [
    "x.js:1\nthrow e\n^\n\nError: ENOSPC: disk full\n    at f (x.js:1) {\n  code: 'ENOSPC'\n}\n\nNode.js v24.21.0\n",
    'Error: ENOSPC: disk full',
  ],
  'an error with a code': [
    'TypeError [ERR_X]: bad\n    at f\n\nNode.js v24.21.0\n',
    'TypeError [ERR_X]: bad',
  ],
  'a fatal error of Node': [
    'FATAL ERROR: heap limit\n----- Native stack trace -----\n\n 1: 0xe4 node\n',
    'FATAL ERROR: heap limit',
  ],
  'the last line of anything else': ['(node:1) Warning: x\nKilled\n\n', 'Killed'],
} as const;

for (const [name, [stderr, crash]] of Object.entries(CRASHES))
  test(`readRecord returns ${name} as the crash`, () => {
    using directory = openTempFolder();
    writeFileSync(monitorFiles(directory.path).errors, stderr);
    assert.equal(readRecord(directory.path).end, crash);
  });

test('loadInputs returns the saved inputs', () => {
  using directory = openTempFolder();
  assert.equal(loadInputs(directory.path), undefined);
  saveInputs(directory.path, { 'fail-if': 'load > 1' });
  assert.deepEqual(loadInputs(directory.path), { 'fail-if': 'load > 1' });
});

test('a monitor is stopped once it is marked, not when a stop is requested', () => {
  using directory = openTempFolder();
  assert.deepEqual([isStopped(directory.path), samplerPid(directory.path)], [false, undefined]);
  writeFileSync(monitorFiles(directory.path).pid, '4711');
  requestStop(directory.path);
  requestStop(directory.path);
  assert.deepEqual([isStopped(directory.path), samplerPid(directory.path)], [false, 4711]);
  markStopped(directory.path);
  requestStop(directory.path);
  assert.equal(isStopped(directory.path), true);
});
