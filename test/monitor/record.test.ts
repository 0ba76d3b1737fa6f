import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  appendAttempt,
  monitorFile,
  readRecord,
  samplerErrors,
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

const STDERR = {
  'the error of an uncaught exception, without its stack': [
    "x.js:1\nthrow e\n^\n\nTypeError [ERR_X]: bad\n    at f (x.js:1) {\n  code: 'ERR_X'\n}\n\nNode.js v24.21.0\n",
    " (it last wrote: throw e TypeError [ERR_X]: bad code: 'ERR_X')",
  ],
  'the last three lines of anything else': [
    'a\n(node:1) Warning: x\n\nb\nKilled\n\n',
    ' (it last wrote: (node:1) Warning: x b Killed)',
  ],
  'nothing if it wrote nothing': ['', ''],
} as const;

for (const [name, [stderr, words]] of Object.entries(STDERR))
  test(`the last words of a sampler follow its exit code [${name}]`, () => {
    using directory = openTempFolder();
    const errors = monitorFile(directory.path, 'errors');
    writeFileSync(errors, stderr);
    assert.equal(samplerErrors(directory.path), words);
    assert.deepEqual(readRecord(directory.path).end, { early: `${DIED}${words}` });
    writeFileSync(monitorFile(directory.path, 'exitCode'), '7');
    const early = `the process that took the samples exited with 7${words}`;
    assert.deepEqual(readRecord(directory.path).end, { early });
  });
