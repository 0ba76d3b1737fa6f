import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { judge } from '../../src/gate/judge.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import { errorLines, toReportedError, waitError } from '../../src/report/reported-error.ts';
import { parse } from '../gate/parse-condition.ts';

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

test('a wait that timed out is reported with the unmet conditions and the last error', () => {
  const busy = new AgentError('busy', 'It answered 429.', { hint: 'Wait.' });
  const unmet = [judge(parse('load < 5'), [{ figures: new Map([['load', 7]]) }])];
  const title = 'The sandbox was not ready within 5 s.';
  assert.deepEqual(waitError({ waitedMs: 5000, unmet, error: busy }), {
    message: title,
    details: ['It answered 429.'],
    advice: ['`load < 5` does not hold: it was 7', 'Wait.'],
    title,
  });
});

test('a wait that ended because of a wrong token reports only that', () => {
  const error = new AgentError('unauthorized', 'It answered 401.');
  const unmet = [judge(parse('load < 5'), [{ figures: new Map([['load', 7]]) }])];
  const wait = { waitedMs: 5000, unmet, error };
  assert.deepEqual(waitError(wait), toReportedError(error));
});
