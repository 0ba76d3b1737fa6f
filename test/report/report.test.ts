import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import { redactTexts, renderReport, reportJson } from '../../src/report/render.ts';
import { linesOf, problemOfError } from '../../src/report/section.ts';
import { summaryOf } from '../../src/report/summary.ts';
import { redactor } from '../../src/text/escape.ts';
import { COMMAND, measured, report, withGap } from '../support/build-report.ts';
import {
  BUSY,
  failed,
  notAttempted,
  SHA256,
  unchanged,
  uploaded,
} from '../support/file-results.ts';

test('an error about one input says what is wrong with it, and one about several lists them', () => {
  const port = { input: 'port', message: '"x" is no port. Example: port: 1' };
  const line = `\`port\`: ${port.message}`;
  assert.deepEqual(explain(new InputError([port])), ['Input `port` is invalid', line]);
  const both = new InputError([port, { input: 'files', message: 'No.' }]);
  assert.deepEqual(explain(both), ['2 inputs are invalid', line, '`files`: No.']);
});

const explain = (error: unknown) => linesOf(problemOfError(error));

test('an AgentError is reported with its hint, unless the job was cancelled', () => {
  const busy = new AgentError('busy', 'It answered 429.', { hint: 'Wait.' });
  const verdict = 'The sandbox or its service is busy, or not ready';
  assert.deepEqual(explain(busy), [verdict, 'It answered 429.', 'Wait.']);
  assert.deepEqual(explain(new AgentError('cancelled', 'No.')), ['Cancelled', 'No.']);
});

test('a system error is reported in the words of the system, and a bug with its stack', async () => {
  const missing = path.join(import.meta.dirname, 'missing');
  const [line = '', ...others] = explain(await readdir(missing).catch((error: unknown) => error));
  assert.match(line, /^ENOENT: no such file or directory, scandir '.*missing'$/);
  assert.deepEqual(others, []);
  assert.match(explain(new TypeError('oops')).join('\n'), /bug[\s\S]*oops[\s\S]*report\.test/);
});

test('a secret in names, paths, inputs, commands and messages is in neither report nor summary', () => {
  const typed = 'a 12"&</34';
  const results = {
    name: typed,
    sandbox: { id: typed, baseUrl: typed },
    command: { ...COMMAND, title: typed, lastLines: [typed] },
    warnings: [typed],
    skipped: [{ path: typed, reason: typed }],
    files: [failed(typed, { ...BUSY, message: typed }), { ...notAttempted(typed), reason: typed }],
    stats: withGap(measured([{ load: 1 }], ['t_12_34 > 1']), 15, 60, typed),
  };
  for (const parts of [results, { error: { verdict: typed, lines: [typed] } }]) {
    const redacted = report(parts, redactor(['12"&</34', 't_12_34']));
    const rendered = renderReport(redacted);
    for (const text of [reportJson(redacted, rendered), summaryOf(redacted, rendered)])
      assert.doesNotMatch(text, /12"|34\b/);
  }
});

test('redacting a secret changes no figure, size or fixed word that the outcome depends on', () => {
  const files = [uploaded('x', 12_345_678), failed('b'), notAttempted('c'), unchanged('d')];
  const parts = { files, stats: measured([{ load: 12_345_678 }]) };
  const redacted = report(parts, redactor(['12345678', 'a', 'sync']));
  const rendered = renderReport(redacted);
  const { level, verdict, attachments } = rendered;
  assert.equal(level, 'failure');
  assert.equal(verdict, 'uploaded 1 of 3 files, 1 failed, 1 not attempted, 1 unchanged');
  assert.ok(attachments['checksums']?.startsWith(SHA256));
  assert.deepEqual(redacted.sections.stats, report(parts).sections.stats);
  assert.equal(JSON.parse(reportJson(redacted, rendered)).upload.files[0].size, 12_345_678);
});

test('redacting copies no samples and no response, which were redacted when they were decoded', () => {
  const { samples, response } = measured([{ load: 1 }]);
  const redacted = redactTexts({ samples, response }, redactor(['load']));
  assert.equal(redacted.samples, samples);
  assert.equal(redacted.response, response);
});
