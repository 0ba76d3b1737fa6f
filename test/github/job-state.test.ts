import assert from 'node:assert/strict';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { StepEnd } from '../../dev/runner/step.ts';
import type { ActionName } from '../../src/inputs/actions.ts';
import { createFaults } from '../e2e/faults.ts';
import type { Inputs } from '../e2e/run-action.ts';
import { API_KEY, openJobWithApi, visibleOutput } from '../sandbox/job-with-api.ts';
import { filesBelow, WINDOWS } from '../system.ts';

const METRICS = { mem_total: 2 ** 33, mem_used: 2 ** 31 };

test('later steps use the sandbox of the job without showing its token', async () => {
  const faults = createFaults();
  const { intercept } = faults;
  await using job = await openJobWithApi({ metrics: () => METRICS, intercept });
  const { plane, temp, workspace, runAction } = job;
  mkdirSync(path.join(workspace, 'dist'));
  writeFileSync(path.join(workspace, 'dist/a.txt'), 'a');
  const ends: StepEnd[] = [];
  async function run(task: ActionName, inputs: Inputs, post?: StepEnd) {
    const end = await runAction(task, inputs, {
      env: { RUNNER_DEBUG: '1' },
      ...(post && { post }),
    });
    assert.equal(end.exitCode, 0, end.stdout);
    ends.push(end);
    return end;
  }
  const creating = { 'api-url': plane.url, 'api-key': API_KEY, template: 'base', delete: 'false' };
  const gate = { 'fail-if': 'mem_used_pct > 90' };
  const main = await run('sandbox', creating);
  const monitor = await run('monitor', { ...gate, 'sample-interval': '1h' });
  await run('sync', { ...gate, files: 'dist', target: 'app' });
  await run('upload', { files: 'dist', target: 'again' });
  const [sandbox] = plane.created;
  assert.ok(sandbox);
  const { id, token, root } = sandbox;
  faults.add({ on: 'stats', times: 1, do: { kind: 'status', status: 503, body: token } });
  const { stdout: retried } = await run('stats', gate);
  assert.match(retried, /answered 503 .* It said: "\*\*\*"/);
  await run('monitor', {}, monitor);

  const stored = ['home/user/again/a.txt', 'home/user/app/a.txt'];
  assert.deepEqual(Object.keys(filesBelow(root)).sort(), stored);

  const isSavedSandbox = (file: string) => file.startsWith('sandbox-sync-sandbox-');
  const files = Object.entries(filesBelow(temp));
  const [[file, left] = ['none', ''], ...others] = files.filter(([name]) => isSavedSandbox(name));
  assert.deepEqual(others, []);
  assert.ok(left.includes(token) && !left.includes(API_KEY));
  if (!WINDOWS) assert.equal(statSync(path.join(temp, file)).mode & 0o777, 0o600);

  assert.equal(main.outputs['token'], token);
  const written = files.filter(([name]) => !isSavedSandbox(name)).map(([, bytes]) => String(bytes));
  // The output is shown once.
  const shown = [visibleOutput(main).replace(token, ''), ...ends.slice(1).map(visibleOutput)];
  for (const text of [...written, ...shown])
    for (const secret of [token, API_KEY]) assert.ok(!text.includes(secret), text);
  for (const { env } of ends) assert.deepEqual(env, {});
  // The last one, a post step, reads no token.
  for (const { stdout } of ends.slice(0, -1))
    assert.match(stdout, RegExp(`^::add-mask::${token}$`, 'm'));

  await run('sandbox', creating, main);
  assert.deepEqual(Object.keys(filesBelow(temp)).filter(isSavedSandbox), []);
  assert.deepEqual(plane.running(), [id]);
});

test('sandbox-id selects one of several sandboxes of the job', async () => {
  await using job = await openJobWithApi();
  const { plane, runSandbox, runAction } = job;
  const [first, second] = [await runSandbox(), await runSandbox()];
  const [one, two] = plane.created;
  assert.ok(one && two);

  /** Runs the action stats. Returns the ID of the sandbox that answered, or the error. */
  async function measure(inputs: Inputs): Promise<string> {
    const counts = plane.created.map(({ requests }) => requests.length);
    const end = await runAction('stats', inputs);
    const answering = plane.created.filter(({ requests }, at) => requests.length !== counts[at]);
    return end.exitCode === 0 ? answering.map(({ id }) => id).join() : end.errors;
  }

  const either = `"(${one.id}|${two.id})"`;
  const list = `this job has ${either}, ${either}`;
  const own = { 'base-url': plane.url, 'header-prefix': 'E2b' };
  assert.match(await measure({}), RegExp(`^sandbox-id: is empty, and ${list}\\. Say which`, 'm'));
  const unknown = RegExp(`^sandbox-id: "other" is not a sandbox of this job; ${list}`, 'm');
  assert.match(await measure({ 'sandbox-id': 'other' }), unknown);
  assert.equal(await measure({ 'sandbox-id': two.id }), two.id);
  assert.equal(await measure({ 'sandbox-id': one.id, token: one.token, ...own }), one.id);
  const partial = [
    [
      { token: one.token, ...own },
      /^sandbox-id: is empty\. Remove token and base-url to .* or set sandbox-id too/m,
    ],
    [
      { token: one.token },
      /^sandbox-id: .* Remove token to .* or set sandbox-id and base-url too/m,
    ],
    [
      { 'sandbox-id': one.id, token: one.token },
      /^base-url: .* Remove token to .* set base-url too/m,
    ],
    [{ 'sandbox-id': one.id, ...own }, /^token: .* Remove base-url to .* set token too/m],
  ] as const;
  for (const [inputs, words] of partial) assert.match(await measure(inputs), words);
  await runSandbox({}, { post: second });
  assert.equal(await measure({}), one.id);
  await runSandbox({}, { post: first });
  const none = await measure({});
  assert.match(none, /^sandbox-id: no earlier step of this job has left a sandbox\. Use /m);
});

test('if two steps connect to the same sandbox, later steps use the newest token', async () => {
  await using job = await openJobWithApi();
  const { plane, runSandbox, runAction } = job;
  const first = await runSandbox();
  const id = plane.created[0]?.id ?? '';
  for (const round of [1, 2, 3]) {
    const { token } = plane.create(id, `token-of-round-${round}`);
    const main = await runSandbox({ 'sandbox-id': id });
    assert.equal(main.outputs['token'], token);
    const stats = await runAction('stats', {});
    assert.equal(stats.exitCode, 0, stats.stdout);
  }
  await runSandbox({}, { post: first });
  assert.deepEqual(plane.running(), []);
});

test('a saved sandbox that cannot be read fails only steps that need it', async () => {
  await using job = await openJobWithApi();
  const { plane, temp, runSandbox, runAction } = job;
  mkdirSync(path.join(temp, 'sandbox-sync-sandbox-folder.json'));
  const main = await runSandbox();
  assert.equal(main.exitCode, 0, main.stdout);
  const stats = await runAction('stats', { summary: 'true' });
  assert.equal(stats.exitCode, 1);
  assert.match(stats.errors, /EISDIR/);
  assert.match(stats.summary, /EISDIR/);
  const post = await runSandbox({}, { post: main });
  assert.equal(post.exitCode, 0, post.stdout);
  assert.deepEqual(plane.running(), []);
});

test('the sandbox is deleted even if its saved file cannot be removed', async () => {
  await using job = await openJobWithApi();
  const main = await job.runSandbox();
  const file = main.state['job-sandbox'] ?? '';
  rmSync(file);
  mkdirSync(file);
  await Promise.allSettled([job.runSandbox({}, { post: main })]);
  assert.deepEqual(job.plane.running(), []);
});
