import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import { errorLines, toReportedError } from '../../src/report/report.ts';

test('an error about one input says what is wrong with it, and one about several lists them', () => {
  const port = { input: 'port', message: '"x" is no port.', example: 'port: 1' };
  const line = 'port: "x" is no port. Example: port: 1';
  assert.deepEqual(toReportedError(new InputError([port])), { message: line, details: [] });
  const both = toReportedError(new InputError([port, { input: 'files', message: 'No.' }]));
  const message = '2 inputs are invalid.';
  assert.deepEqual(both, { message, details: [line, 'files: No.'], title: message });
});

test('an AgentError is reported with its hint, unless the job was cancelled', () => {
  const busy = new AgentError('busy', 'It answered 429.', { hint: 'Wait.' });
  assert.deepEqual(errorLines(toReportedError(busy)), ['It answered 429.', 'Wait.']);
  assert.deepEqual(errorLines(toReportedError(new AgentError('cancelled', 'No.'))), ['No.']);
});

test('a system error is reported in the words of the system, and not as a bug', async () => {
  const missing = path.join(import.meta.dirname, 'missing');
  const error: unknown = await readdir(missing).catch((thrown: unknown) => thrown);
  const { message, details } = toReportedError(error);
  assert.match(message, /^ENOENT: no such file or directory, scandir '.*missing'\.$/);
  assert.deepEqual(details, []);
});

test('a bug is reported with its stack', () => {
  const { message, details } = toReportedError(new TypeError('oops'));
  assert.match(message, /bug/);
  assert.match(details.join('\n'), /oops[\s\S]*reported-error\.test/);
});
