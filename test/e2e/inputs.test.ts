import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type ActionName, INPUTS } from '../../src/inputs/inputs.ts';
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

test('empty inputs count as not given, and padding is trimmed', async () => {
  await using job = await openJob();
  const required = ['sandbox-id', 'token', 'base-url', 'files'];
  const names = Object.keys(INPUTS.sync).filter(name => !required.includes(name));
  const empty = Object.fromEntries(names.map(name => [name, ' \n']));
  const inputs = { ...empty, token: ` ${TOKEN}\n`, files: '\n\n  **  \n# end\n' };
  const { warnings } = await expectSuccess(job, inputs);
  assert.equal(uploadRequests(job)[0]?.url, '/files?path=a.txt');
  assert.equal(warnings, '');
});

const MAIN = 'sandbox-sync/sandbox-sync';

/** By name of an input that the action does not have: what is said of it, and the action. */
const UNKNOWN: Readonly<Record<string, readonly [advice: string, task?: ActionName]>> = {
  fail_if: ['Did you mean fail-if?'],
  failif: ['Did you mean fail-if?'],
  dry_run: ['Did you mean dry-run?', 'upload'],
  'fail-if': [`Did you mean ${MAIN}, ${MAIN}/stats, ${MAIN}/run, ${MAIN}/monitor?`, 'upload'],
  'working-directory': [
    `Did you mean ${MAIN}, ${MAIN}/upload, ${MAIN}/download, ${MAIN}/run?`,
    'stats',
  ],
  'warm-if': [''],
};

for (const [name, [advice, task = 'sync']] of Object.entries(UNKNOWN))
  test(`an input that an action does not have is reported like an invalid one [${name}]`, async () => {
    await using job = await openJob();
    const env = { [`INPUT_${name.toUpperCase()}`]: 'cpu_count > 0' };
    const result = await expectFailure(job, { port: 'x' }, { env, task });
    const message = `${name}: is not an input of this action. ${advice}`.trim();
    for (const text of [result.errors, result.summary]) assert.match(text, /2 inputs are invalid/);
    assert.ok(result.errors.split('\n').includes(message), result.errors);
    assert.equal(job.agent.connections(), 0);
  });

test('variables that jobs set for themselves are no inputs that an action does not have', async () => {
  await using job = await openJob();
  const names = { INPUT_NAME: 'x', INPUT_RUN: 'x', INPUT_FILE: 'x', 'INPUT_FAIL-IF': '' };
  const env = { ...names, INPUT_SANDBOX_ID: 'other', INPUT_TIMEOUT_: '1s', INPUT_DRY_RUN: '' };
  await expectSuccess(job, { timeout: '2m' }, { env, task: 'upload' });
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
