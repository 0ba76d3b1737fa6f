import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import { renderReport, reportJson } from '../../src/report/render.ts';
import { redactReport } from '../../src/report/report.ts';
import { reasonOfError, textsOf } from '../../src/report/section.ts';
import { summaryOf } from '../../src/report/summary.ts';
import { redactor } from '../../src/text/escape.ts';
import { COMMAND, measured, report, withGap } from '../support/build-report.ts';
import {
  failed,
  notAttempted,
  planned,
  SHA256,
  unchanged,
  uploaded,
} from '../support/file-results.ts';

test('an error about one input says what is wrong with it, and one about several lists them', () => {
  const port = { input: 'port', message: '"x" is no port. Example: port: 1' };
  const line = `port: ${port.message}`;
  assert.deepEqual(linesOf(new InputError([port])), [line]);
  const both = new InputError([port, { input: 'files', message: 'No.' }]);
  assert.deepEqual(linesOf(both), ['2 inputs are invalid.', line, 'files: No.']);
});

const linesOf = (error: unknown) => textsOf(reasonOfError(error));

test('an AgentError is reported with its hint, unless the job was cancelled', () => {
  const busy = new AgentError('busy', 'It answered 429.', { hint: 'Wait.' });
  assert.deepEqual(linesOf(busy), ['It answered 429.', 'Wait.']);
  assert.deepEqual(linesOf(new AgentError('cancelled', 'No.')), ['No.']);
});

test('a system error is reported in the words of the system, and not as a bug', async () => {
  const missing = path.join(import.meta.dirname, 'missing');
  const error: unknown = await readdir(missing).catch((thrown: unknown) => thrown);
  const [line = '', ...others] = linesOf(error);
  assert.match(line, /^ENOENT: no such file or directory, scandir '.*missing'\.$/);
  assert.deepEqual(others, []);
});

test('a bug is reported with its stack', () => {
  const [line = '', ...stack] = linesOf(new TypeError('oops'));
  assert.match(line, /bug/);
  assert.match(stack.join('\n'), /oops[\s\S]*report\.test/);
});

test('a secret in names, paths, inputs, commands and messages is in neither report nor summary', () => {
  const typed = 'a 12"&</34';
  const files = [
    { ...uploaded(typed), path: 'a ***' },
    failed(typed, { kind: 'rejected', status: 400, message: typed, hint: '' }),
    planned(typed),
    { ...notAttempted(typed), reason: typed },
  ];
  const results = {
    name: typed,
    sandbox: { id: typed, baseUrl: typed },
    command: { ...COMMAND, title: typed, lastLines: [typed] },
    warnings: [typed],
    skipped: [{ path: typed, reason: typed }],
    files,
    stats: withGap(measured([{ load: 1 }], ['t_12_34 > 1']), 15, 60, { early: typed }),
  };
  for (const parts of [results, { error: [{ text: typed }] }]) {
    const redacted = redactReport(report(parts), redactor(['12"&</34', 't_12_34']));
    const rendered = renderReport(redacted);
    for (const text of [reportJson(redacted, rendered), summaryOf(redacted, rendered)])
      assert.doesNotMatch(text, /12"|34\b/);
  }
});

test('a secret of digits does not change sizes and figures', () => {
  const files = [uploaded('a', 12_345_678)];
  const stats = measured([{ load: 12_345_678 }]);
  const redacted = redactReport(report({ files, stats }), redactor(['12345678']));
  assert.deepEqual(redacted.upload?.files, files);
  assert.deepEqual(redacted.stats, stats);
});

test('a secret such as "failed" does not change the outcome when it is redacted', () => {
  const files = [failed('b'), notAttempted('c'), unchanged('d')];
  const redacted = redactReport(report({ files }), redactor(['a', 'sync']));
  const { level, title, checksums } = renderReport(redacted);
  assert.equal(level, 'failure');
  assert.equal(title.text, 'Uploaded 0 of 2 files, 1 failed, 1 not attempted, 1 unchanged.');
  assert.ok(checksums?.startsWith(SHA256));
});
