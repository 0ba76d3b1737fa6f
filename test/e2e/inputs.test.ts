import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { expectFailure, expectSuccess, uploadRequests } from './run-action.ts';
import { openJob, TOKEN } from './test-job.ts';

/** An invalid value for each input, and what its message must contain. */
const WRONG: Readonly<Record<string, readonly [value: string, ...says: readonly RegExp[]]>> = {
  'sandbox-id': ['', /empty/],
  token: ['', /empty/],
  'base-url': ['sandbox.example.com', /"sandbox\.example\.com"/, /https/],
  'allow-insecure-http': ['perhaps', /"perhaps"/, /true/],
  port: ['65536', /"65536"/, /65535/],
  'header-prefix': ['two words', /"two words"/],
  'upload-path': ['files', /"files"/, /slash/],
  'stats-path': ['/a?b', /"\/a\?b"/],
  headers: ['no colon here', /line 1/, /Name: value/],
  files: ['# nothing', /required/],
  target: ['../up', /"\.\.\/up"/],
  'if-no-files-found': ['fail', /"fail"/, /error, warn, ignore/],
  'include-hidden-files': ['yes', /"yes"/, /true/],
  'follow-symlinks': ['1', /"1"/, /true/],
  shard: ['0/3', /"0\/3"/, /INDEX/],
  concurrency: ['101', /"101"/, /100/],
  'files-per-request': ['0', /"0"/],
  retries: ['11', /"11"/, /10/],
  timeout: ['60', /"60"/, /s, m/],
  'fail-if': ['mem_used_pct > ', /line 1/],
  'warn-if': ['mem_used > 5%', /line 1/, /%/],
  'wait-until': ['mem_free', /line 1/],
  samples: ['0', /"0"/],
  'sample-interval': ['1ms', /"1ms"/, /200 ?ms/],
  'dry-run': ['no', /"no"/, /true/],
  summary: ['on', /"on"/, /true/],
};

test('all invalid inputs are reported in one error, each with value, rule and example', async () => {
  await using job = await openJob();
  const values = Object.entries(WRONG).map(([name, [value]]) => [name, value]);
  const result = await expectFailure(job, Object.fromEntries(values));
  assert.equal(result.annotations('error').length, 1);
  const lines = result.errors.split('\n');
  assert.match(result.errors, /26 inputs are invalid/);
  for (const [name, [, ...says]] of Object.entries(WRONG)) {
    const line = lines.find(each => each.startsWith(`${name}: `)) ?? assert.fail(name);
    for (const expected of [...says, RegExp(`Example: ${name}: .`)]) assert.match(line, expected);
  }
  assert.equal(job.agent.connections(), 0);
  assert.deepEqual([result.outputs['uploaded-count'], result.outputs['gate']], ['0', 'failed']);
  assert.match(result.summary, /^<h3>❌ [\s\S]*26 inputs are invalid/);
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
  const names = Object.keys(WRONG).filter(
    name => !['sandbox-id', 'token', 'base-url', 'files'].includes(name),
  );
  const more = ['username', 'signature'];
  const empty = Object.fromEntries([...names, ...more].map(name => [name, ' \n']));
  const inputs = { ...empty, token: ` ${TOKEN}\n`, files: '\n\n  **  \n# end\n' };
  const env = {
    INPUT_FILE: 'x',
    INPUT_FAILIF: 'cpu_count > 0',
  };
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
