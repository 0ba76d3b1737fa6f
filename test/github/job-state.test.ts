import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { ActionName } from '../../src/inputs/inputs.ts';
import { statusFault } from '../e2e/faults.ts';
import type { Result } from '../e2e/result.ts';
import type { Inputs } from '../e2e/run-action.ts';
import { API_KEY, openJobWithApi } from '../sandbox/job-with-api.ts';
import { filesBelow, WINDOWS } from '../system.ts';

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
  const creating = {
    'api-url': service.url,
    'api-key': API_KEY,
    template: 'base',
    delete: 'false',
  };
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
  // The last step is a post step, which does not read the token.
  for (const { masked } of ends.slice(0, -1)) assert.ok(masked.includes(token));

  await run('sandbox', creating, main);
  assert.deepEqual(Object.keys(filesBelow(temp)).filter(isSavedSandbox), []);
  assert.deepEqual(service.running(), [id]);
});

test('sandbox-id selects one of several sandboxes of the job', async () => {
  await using job = await openJobWithApi();
  const { service, runSandbox, runAction } = job;
  const [first, second] = [await runSandbox(), await runSandbox()];
  const [one, two] = service.created;
  assert.ok(one && two);

  /** Runs the action `stats`. Returns the ID of the sandbox that answered, or the error. */
  async function measure(inputs: Inputs): Promise<string> {
    const counts = service.created.map(({ requests }) => requests.length);
    const end = await runAction('stats', inputs);
    const answering = service.created.filter(({ requests }, at) => requests.length !== counts[at]);
    return end.exitCode === 0 ? answering.map(({ id }) => id).join() : end.errors;
  }

  const either = `"(${one.id}|${two.id})"`;
  const list = `${either}, ${either}`;
  const own = { 'base-url': service.url, 'header-prefix': 'E2b' };
  assert.match(
    await measure({}),
    RegExp(`^sandbox-id: is empty\\. Say which .*; this job has ${list}`, 'm'),
  );
  const unknown = RegExp(
    `^sandbox-id: "other" is not a sandbox of this job\\. Set .* job has: ${list}`,
    'm',
  );
  assert.match(await measure({ 'sandbox-id': 'other' }), unknown);
  assert.equal(await measure({ 'sandbox-id': two.id }), two.id);
  assert.equal(await measure({ 'sandbox-id': one.id, token: one.token, ...own }), one.id);
  const partial = [
    [{ token: one.token, ...own }, 'sandbox-id', 'Remove token and base-url to', 'sandbox-id'],
    [{ token: one.token }, 'sandbox-id', 'Remove token to', 'sandbox-id and base-url'],
    [{ 'sandbox-id': one.id, token: one.token }, 'base-url', 'Remove token to', 'base-url'],
    [{ 'sandbox-id': one.id, ...own }, 'token', 'Remove base-url to', 'token'],
  ] as const;
  for (const [inputs, missing, advice, rest] of partial) {
    const says = RegExp(`^${missing}: .* ${advice} .* set ${rest} too`, 'm');
    assert.match(await measure(inputs), says);
  }
  await runSandbox({}, { post: second });
  assert.equal(await measure({}), one.id);
  await runSandbox({}, { post: first });
  const none = await measure({});
  assert.match(none, /^sandbox-id: no earlier step of this job has left a sandbox\. Use /m);
});

test('if two steps connect to the same sandbox, later steps use the newest token', async () => {
  await using job = await openJobWithApi();
  const { service, runSandbox, runAction } = job;
  const first = await runSandbox();
  const id = service.created[0]?.id ?? '';
  for (const round of [1, 2, 3]) {
    const { token } = service.create(id, `token-of-round-${round}`);
    const main = await runSandbox({ 'sandbox-id': id });
    assert.equal(main.outputs['token'], token);
    const stats = await runAction('stats', {});
    assert.equal(stats.exitCode, 0, stats.stdout);
  }
  await runSandbox({}, { post: first });
  assert.deepEqual(service.running(), []);
});

test('a saved sandbox that cannot be read fails only the steps that use the sandbox of the job', async () => {
  await using job = await openJobWithApi();
  const { service, temp, runSandbox, runAction } = job;
  mkdirSync(path.join(temp, 'sandbox-sync-sandbox-folder.json'));
  const main = await runSandbox();
  assert.equal(main.exitCode, 0, main.stdout);
  const stats = await runAction('stats', { summary: 'true' });
  assert.equal(stats.exitCode, 1);
  assert.match(stats.errors, /EISDIR/);
  assert.match(stats.summary, /EISDIR/);
  const post = await runSandbox({}, { post: main });
  assert.equal(post.exitCode, 0, post.stdout);
  assert.deepEqual(service.running(), []);
});
