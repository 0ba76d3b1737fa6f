import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { INPUTS } from '../../src/inputs/inputs.ts';
import { expectFailure, expectSuccess, uploadRequests } from '../support/run-action.ts';
import { openJob, TOKEN } from '../support/test-job.ts';

/** See test/inputs for others. */
const WRONG = { token: '', 'base-url': 'sandbox.example.com', shard: '0/3', 'fail-if': 'cpu > ' };

test('all invalid inputs are reported in one error, each with its value and an example', async () => {
  await using job = await openJob();
  const result = await expectFailure(job, WRONG);
  assert.equal(result.annotations('error').length, 1);
  for (const text of [result.errors, result.summary]) assert.match(text, /4 inputs are invalid/);
  const lines = result.errors.split('\n');
  for (const [name, value] of Object.entries(WRONG)) {
    const line = lines.find(each => each.startsWith(`${name}: `)) ?? '';
    assert.ok(line.includes(value.trim()) && line.includes(`Example: ${name}: `), line);
  }
  assert.equal(job.agent.connections(), 0);
  const { gate, 'uploaded-count': uploaded } = result.outputs;
  assert.deepEqual([uploaded, gate], [undefined, 'failed']);
});

test('patterns without a match and conflicting targets are reported in one error, by every shard', async () => {
  await using job = await openJob({ files: { 'x/a.js': '1', 'y/a.js': '2' } });
  for (const shard of ['1/2', '2/2']) {
    const inputs = { files: 'none/**\nx/**\ny/**\nnor/**', shard };
    const { errors } = await expectFailure(job, inputs);
    for (const says of [/"none\/\*\*" matches/, /"nor\/\*\*" matches/, /"x\/a\.js".*"y\/a\.js"/])
      assert.match(errors, says);
  }
  assert.equal(job.agent.connections(), 0);
});

test('empty inputs count as not given, padding is trimmed, and unknown inputs are ignored', async () => {
  await using job = await openJob();
  const required = ['sandbox-id', 'token', 'base-url', 'files'];
  const names = Object.keys(INPUTS.sync).filter(name => !required.includes(name));
  const empty = Object.fromEntries(names.map(name => [name, ' \n']));
  const inputs = { ...empty, token: ` ${TOKEN}\n`, files: '\n\n  **  \n# end\n' };
  const env = { INPUT_FILE: 'x', INPUT_FAILIF: 'cpu_count > 0' };
  const { warnings } = await expectSuccess(job, inputs, { env });
  assert.equal(uploadRequests(job)[0]?.url, '/files?path=a.txt');
  assert.equal(warnings, '');
});

test('a missing checkout is an error that names the workspace', async () => {
  await using job = await openJob();
  const missing = path.join(job.outside, 'missing');
  const { errors } = await expectFailure(job, {}, { env: { GITHUB_WORKSPACE: missing } });
  assert.match(errors, /workspace is not a directory/);
  assert.ok(errors.includes(`(${missing})`), errors);
});

test('a saved sandbox that cannot be read is an error with outputs and a summary', async () => {
  await using job = await openJob();
  mkdirSync(path.join(job.temp, 'sandbox-sync-sandbox-x.json'));
  const { errors, outputs, summary } = await expectFailure(job, { 'fail-if': 'cpu_count < 1' });
  assert.match(errors, /^EISDIR: /);
  assert.match(summary, /EISDIR/);
  assert.equal(outputs['gate'], 'failed');
});
