import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { inputNames } from '../../src/inputs/inputs.ts';
import { expectFailure, expectSuccess, uploadRequests } from '../support/run-action.ts';
import { openJob, TOKEN } from '../support/test-job.ts';

/** One invalid value per input. See test/inputs for others. */
const WRONG: Readonly<Record<string, string>> = {
  token: '',
  'base-url': 'sandbox.example.com',
  port: '65536',
  headers: 'no colon here',
  files: '# nothing',
  target: '../up',
  'if-no-files-found': 'fail',
  shard: '0/3',
  timeout: '60',
  'fail-if': 'mem_used_pct > ',
  summary: 'on',
};

test('all invalid inputs are reported in one error, each with its value and an example', async () => {
  await using job = await openJob();
  const result = await expectFailure(job, WRONG);
  assert.equal(result.annotations('error').length, 1);
  assert.match(result.errors, /11 inputs are invalid/);
  for (const [name, value] of Object.entries(WRONG)) {
    const line = result.errors.split('\n').find(each => each.startsWith(`${name}: `));
    const quoted = value === '' || /\s/.test(value) ? '' : `"${value}"`;
    assert.ok(line?.includes(quoted) && line.includes(`Example: ${name}: `), `${name}: ${line}`);
  }
  assert.equal(job.agent.connections(), 0);
  assert.deepEqual(
    [result.outputs['uploaded-count'], result.outputs['gate']],
    [undefined, 'failed'],
  );
  assert.match(result.summary, /^<h3>❌ [\s\S]*11 inputs are invalid/);
});

test('patterns without a match and conflicting targets are reported in one error', async () => {
  await using job = await openJob({ files: { 'x/a.js': '1', 'y/a.js': '2' } });
  const { errors } = await expectFailure(job, { files: 'none/**\nx/**\ny/**\nnor/**' });
  for (const says of [/"none\/\*\*" matches/, /"nor\/\*\*" matches/, /"x\/a\.js".*"y\/a\.js"/])
    assert.match(errors, says);
  assert.equal(job.agent.connections(), 0);
});

test('empty inputs count as not given, padding is trimmed, and unknown inputs are ignored', async () => {
  await using job = await openJob();
  const required = ['sandbox-id', 'token', 'base-url', 'files'];
  const names = inputNames('sync').filter(name => !required.includes(name));
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
