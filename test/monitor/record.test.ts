import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { appendLine, monitorFiles, readRecord } from '../../src/monitor/record.ts';
import { statsFromJson } from '../support/stats-from-json.ts';
import { openTempFolder } from '../support/temp-folder.ts';

test('readRecord returns what was appended, without the partial line of a killed sampler', () => {
  using directory = openTempFolder();
  const first = '{"mem_used":9007199254740993,"load":1.5,"note":"a\\nb"}';
  appendLine(directory.path, { at: 1, ...statsFromJson(first) });
  appendLine(directory.path, { failure: 'no response' });
  appendLine(directory.path, { at: 3, ...statsFromJson('{"load":2,"ts":"x"}') });
  appendFileSync(monitorFiles(directory.path).record, '{"at":4,"json":"{\\"ts');
  const { samples, failures, endReason } = readRecord(directory.path);
  const loads = samples.map(({ at, figures }) => ({ [at]: figures.get('load') }));
  assert.deepEqual(loads, [{ 1: 1.5 }, { 3: 2 }]);
  assert.equal(samples.at(-1)?.json, '{"load":2,"ts":"x"}');
  assert.deepEqual([failures, endReason], [['no response'], undefined]);
});

const CRASHES = {
  'the error of an uncaught exception': [
    "x.js:1\nthrow e\n^\n\nTypeError [ERR_X]: bad\n    at f (x.js:1) {\n  code: 'ERR_X'\n}\n\nNode.js v24.21.0\n",
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
    assert.equal(readRecord(directory.path).endReason, crash);
  });
