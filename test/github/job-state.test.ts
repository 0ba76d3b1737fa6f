import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { withJobSandbox } from '../../src/inputs/connection.ts';
import type { ActionName } from '../../src/inputs/inputs.ts';
import { statusFault } from '../support/faults.ts';
import { API_KEY, openJobWithApi } from '../support/job-with-api.ts';
import type { Result } from '../support/result.ts';
import type { Inputs } from '../support/run-action.ts';
import { filesBelow, WINDOWS } from '../support/system.ts';

const isSavedSandbox = (file: string) => file.startsWith('sandbox-sync-sandbox-');

test('later steps use the sandbox of the job without showing its token', async () => {
  await using job = await openJobWithApi();
  const { service, temp, workspace } = job;
  mkdirSync(path.join(workspace, 'dist'));
  writeFileSync(path.join(workspace, 'dist/a.txt'), 'a');
  const ends: Result[] = [];
  async function run(task: ActionName, inputs: Inputs, post?: Result) {
    const options = { env: { RUNNER_DEBUG: '1' }, ...(post && { post }) };
    const end = await job.runAction(task, inputs, options);
    assert.equal(end.exitCode, 0, end.stdout);
    ends.push(end);
    return end;
  }
  const api = { 'api-url': service.url, 'api-key': API_KEY };
  const creating = { ...api, template: 'base', delete: 'false' };
  const gate = { 'fail-if': 'mem_used_pct > 90' };
  const main = await run('sandbox', creating);
  const monitor = await run('monitor', { ...gate, 'sample-interval': '1h' });
  await run('sync', { ...gate, files: 'dist', target: 'app' });
  await run('upload', { files: 'dist', target: 'again' });
  const [{ id, token, root } = assert.fail()] = service.created;
  job.addFaults({ on: 'stats', times: 1, do: statusFault(503, token) });
  const { stdout: retried } = await run('stats', gate);
  assert.match(retried, /answered 503 .* It said: "\*\*\*"/);
  await run('monitor', {}, monitor);

  const stored = ['home/user/again/a.txt', 'home/user/app/a.txt'];
  assert.deepEqual(Object.keys(filesBelow(root)).sort(), stored);
  const [file = '', ...others] = Object.keys(filesBelow(temp)).filter(isSavedSandbox);
  assert.deepEqual(others, []);
  const saved = readFileSync(path.join(temp, file), 'utf8');
  assert.ok(saved.includes(token) && !saved.includes(API_KEY));
  if (!WINDOWS) assert.equal(statSync(path.join(temp, file)).mode & 0o777, 0o600);
  assert.equal(main.outputs['token'], token);
  for (const { allOutput, env } of ends) {
    const shown = allOutput.replace(saved, '').replace(`\ntoken\n${token}\n`, '\n');
    for (const secret of [token, API_KEY]) assert.ok(!shown.includes(secret), shown);
    assert.deepEqual(env, {});
  }
  // The last step is a post step, which does not read the token and thus does not mask it.
  for (const { masked } of ends.slice(0, -1)) assert.ok(masked.includes(token));

  await run('sandbox', creating, main);
  assert.deepEqual(Object.keys(filesBelow(temp)).filter(isSavedSandbox), []);
  assert.deepEqual(service.running(), [id]);
});

const SANDBOXES = ['i1', 'i2'].map(id => {
  return { id, token: `token of ${id}`, baseUrl: 'https://x.io', headerPrefix: 'E2b', endsAt: 0 };
});

test('sandbox-id selects one of several sandboxes of the job, unless the step sets sandbox-id, token and base-url', () => {
  assert.deepEqual(withJobSandbox({ 'sandbox-id': 'i2', port: '1' }, SANDBOXES), {
    'sandbox-id': 'i2',
    token: 'token of i2',
    'base-url': 'https://x.io',
    'header-prefix': 'E2b',
    port: '1',
  });
  const prefixed = withJobSandbox({ 'sandbox-id': 'i2', 'header-prefix': 'Acme' }, SANDBOXES);
  assert.equal(prefixed['header-prefix'], 'Acme');
  const own = { 'sandbox-id': 'i1', token: 't', 'base-url': 'https://y.io' };
  assert.deepEqual(withJobSandbox(own, SANDBOXES), own);
});

test('a step that chooses none of the sandboxes of the job is told what to set or remove', () => {
  const [id, token, url] = [{ 'sandbox-id': 'i1' }, { token: 't' }, { 'base-url': 'https://y.io' }];
  for (const [inputs, message, sandboxes = SANDBOXES] of [
    [{}, /^sandbox-id: no earlier step of this job has left a sandbox, .* Use /, []],
    [{}, /^sandbox-id: is empty\. Say which .*; this job has "i1", "i2"\.$/],
    [{ 'sandbox-id': 'i3' }, /^sandbox-id: "i3" is not .*\. Set .* job has: "i1", "i2"\.$/],
    [
      { ...token, ...url },
      /^sandbox-id: .* remove token and base-url to use the sandbox of this job/,
    ],
    [token, /^sandbox-id: .* remove token to/],
    [{ ...id, ...token }, /^base-url: .* remove token to/],
    [{ ...id, ...url }, /^token: .* remove base-url to/],
  ] as const)
    assert.throws(() => withJobSandbox(inputs, sandboxes), { name: 'InputError', message });
});

test('if two steps connect to the same sandbox, later steps use the newest token', async () => {
  await using job = await openJobWithApi();
  const { service, runSandbox, runAction } = job;
  const first = await runSandbox();
  const id = service.created[0]?.id ?? '';
  const inode = () => statSync(path.join(job.temp, `sandbox-sync-sandbox-${id}.json`)).ino;
  const inodeBefore = inode();
  const { token } = service.create(id, 'the-newest-token');
  await runSandbox({ 'sandbox-id': id });
  assert.notEqual(inode(), inodeBefore, 'a step that reads the file never sees half of it');
  const stats = await runAction('stats', {});
  assert.ok(stats.exitCode === 0 && stats.masked.includes(token), stats.stdout);
  await runSandbox({}, { post: first });
  assert.deepEqual(service.running(), []);
});
