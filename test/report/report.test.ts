import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import type { Task } from '../../src/inputs/inputs.ts';
import { fullReason, reasonLines, toReportedError } from '../../src/report/reason.ts';
import { failedReport, redactReport } from '../../src/report/report.ts';
import { reportJson, summaryOf, verdictOf } from '../../src/report/verdict.ts';
import { redactor } from '../../src/text/redact.ts';
import { COMMAND, measuredSection, report } from '../support/build-report.ts';
import {
  failed,
  notAttempted,
  SHA256,
  skipped,
  unchanged,
  uploaded,
} from '../support/file-results.ts';

/** By section: the output and the report key that only this section has. */
const MARKS: Readonly<Record<string, RegExp>> = {
  command: /^(exit-code|command)$/,
  upload: /^digest$/,
  measured: /^gate$/,
  download: /^(downloaded-count|download)$/,
};

const SECTIONS: readonly (readonly [Task, readonly string[]])[] = [
  ['sync', ['upload', 'measured']],
  ['upload', ['upload']],
  ['stats', ['measured']],
  ['monitor', ['measured']],
  ['run', ['command', 'measured']],
  ['download', ['download']],
];

for (const [task, sections] of SECTIONS) {
  const suffix = sections.includes('measured') ? ', and its gate fails' : '';
  test(`if ${task} fails early, it still has its ${sections.join(' and ')} outputs and report keys${suffix}`, () => {
    const info = { name: '', cancelled: false, hasFailIf: true };
    const failure = failedReport(task, { reason: [{ text: 'No.' }] }, info);
    const verdict = verdictOf(failure);
    for (const keys of [verdict.outputs, JSON.parse(reportJson(failure, verdict))].map(
      Object.keys,
    )) {
      const found = Object.entries(MARKS).filter(([, mark]) => keys.some(key => mark.test(key)));
      assert.deepEqual(
        found.map(([section]) => section),
        sections,
      );
    }
    assert.equal(verdict.level, 'failure');
    assert.equal(verdict.outputs['gate'], sections.includes('measured') ? 'failed' : undefined);
  });
}

test('an error about one input says what is wrong with it, and one about several lists them', () => {
  const port = { input: 'port', message: '"x" is no port. Example: port: 1' };
  const line = `port: ${port.message}`;
  assert.deepEqual(toReportedError(new InputError([port])), { reason: [{ text: line }] });
  const both = toReportedError(new InputError([port, { input: 'files', message: 'No.' }]));
  const title = '2 inputs are invalid.';
  assert.deepEqual(both, { title, reason: [{ text: line }, { text: 'files: No.' }] });
});

const linesOf = (error: unknown) => reasonLines(fullReason(toReportedError(error)));

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
    skipped(typed),
    { ...notAttempted(typed), reason: typed },
  ];
  const unredacted = {
    ...report({
      name: typed,
      sandboxId: typed,
      baseUrl: typed,
      errors: [{ title: typed, reason: [{ text: typed }] }],
      warnings: [typed],
      skipped: [{ path: typed, reason: typed }],
      files,
      ...measuredSection([{ load: 1 }], ['t_12_34 > 1']),
    }),
    command: { ...COMMAND, title: typed, durationMs: 1, lastLines: [typed] },
  };
  const redacted = redactReport(unredacted, redactor(['12"&</34', 't_12_34']));
  const verdict = verdictOf(redacted);
  for (const text of [reportJson(redacted, verdict), summaryOf(redacted, verdict)])
    assert.doesNotMatch(text, /12|34/);
});

test('a secret of digits does not change sizes and figures', () => {
  const files = [uploaded('a', 12_345_678)];
  const { samples, gate } = measuredSection([{ load: 12_345_678 }]);
  const { upload, measured } = redactReport(
    report({ files, samples, gate }),
    redactor(['12345678']),
  );
  assert.deepEqual(upload?.files, files);
  assert.deepEqual(measured, { samples, gate });
});

test('a mean that overflows is still Infinity in a redacted report', () => {
  const section = measuredSection([{ load: 1.7e308 }, { load: 1.7e308 }], ['load.mean > 3']);
  const { measured } = redactReport(report({ ...section }), redactor(['x']));
  assert.deepEqual(measured, section);
});

test('a secret such as "failed" does not change the verdict when it is redacted', () => {
  const files = [failed('b'), notAttempted('c'), unchanged('d')];
  const redacted = redactReport(report({ files }), redactor(['a', 'sync']));
  const { level, title, checksums } = verdictOf(redacted);
  assert.equal(level, 'failure');
  assert.equal(title, 'Uploaded 0 of 2 files, 1 failed, 1 not attempted, 1 unchanged.');
  assert.ok(checksums?.startsWith(SHA256));
});
