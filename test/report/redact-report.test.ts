import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksumsOf } from '../../src/report/checksums.ts';
import { redactReport } from '../../src/report/report.ts';
import { reportJson } from '../../src/report/report-json.ts';
import { summaryOf } from '../../src/report/summary.ts';
import { verdictOf } from '../../src/report/verdict.ts';
import { redactor } from '../../src/text/redact.ts';
import { report } from './build-report.ts';
import { failed, notAttempted, SHA256, skipped, unchanged, uploaded } from './file-results.ts';

const SECRET = '12"&</34';

test('a secret in names, paths, inputs, commands and messages is in neither report nor summary', () => {
  const typed = `a ${SECRET}`;
  const files = [
    { ...uploaded(typed), path: 'a ***' },
    failed(typed, { kind: 'rejected', status: 400, message: typed, hint: '' }),
    skipped(typed),
    { ...notAttempted(typed), reason: typed },
  ];
  const given = {
    ...report({
      name: typed,
      sandboxId: typed,
      baseUrl: typed,
      errors: [{ message: typed, details: [typed] }],
      warnings: [typed],
      skipped: [{ path: typed, reason: typed }],
      files,
    }),
    command: { title: typed, exitCode: 0, status: '', durationMs: 1, lastLines: [] },
  };
  const redacted = redactReport(given, redactor([SECRET]));
  const verdict = verdictOf(redacted);
  for (const text of [reportJson(redacted, verdict), summaryOf(redacted, verdict)])
    assert.doesNotMatch(text, /12|34/);
});

test('a secret of digits does not change sizes and figures', () => {
  const given = report({ files: [uploaded('a', 12_345_678)] });
  const redacted = redactReport(given, redactor(['12345678']));
  assert.deepEqual(redacted, given);
});

test('a secret that is part of our own words does not change the verdict', () => {
  const files = [failed('b'), notAttempted('c'), unchanged('d')];
  const redacted = redactReport(report({ files }), redactor(['a', 'sync']));
  const { level, title } = verdictOf(redacted);
  assert.equal(level, 'failure');
  assert.equal(title, 'Uploaded 0 of 2 files, 1 failed, 1 not attempted, 1 unchanged.');
  assert.ok(checksumsOf(redacted.upload?.files ?? []).startsWith(SHA256));
});
