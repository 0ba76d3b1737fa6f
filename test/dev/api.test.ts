import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { API_KEY } from '../support/job-with-api.ts';
import { expectFailure, expectSuccess } from '../support/run-action.ts';
import { pollUntil } from '../support/running-monitor.ts';
import { skipOnWindows } from '../support/system.ts';
import { openEmptyJob } from '../support/test-job.ts';

async function openService() {
  const job = await openEmptyJob({ apiKey: API_KEY, runCommands: true });
  const call = async (method: string, place: string, body?: object) => {
    const answer = await fetch(job.service.url + place, {
      method,
      headers: { 'X-API-Key': API_KEY, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, fields: text === '' ? {} : JSON.parse(text) };
  };
  return { ...job, call };
}

test('the stand-in ends a sandbox when its lifetime is over, and connecting extends that', async () => {
  await using job = await openService();
  const { service, call } = job;
  await call('POST', '/sandboxes', { templateID: 'base', timeout: 0 });
  await pollUntil(() => service.running().length === 0);
  const { fields } = await call('POST', '/sandboxes', { templateID: 'base', timeout: 1 });
  await call('POST', `/sandboxes/${fields.sandboxID}/connect`, { timeout: 3600 });
  const { fields: details } = await call('GET', `/sandboxes/${fields.sandboxID}`);
  const lifeMs = Date.parse(details.endAt) - Date.parse(details.startedAt);
  assert.ok(lifeMs >= 3_600_000, details.endAt);
});

test('a sandbox of the stand-in that is deleted ends the output of its commands with an error', {
  skip: skipOnWindows('there is no /bin/sh'),
}, async () => {
  await using job = await openService();
  const { service } = job;
  const sandbox = service.create();
  const { id, token } = sandbox;
  const connection = { 'sandbox-id': id, token, 'base-url': service.url, 'header-prefix': 'E2b' };
  const onLine = (line: string) => line === 'started' && service.remove(sandbox);
  const inputs = { ...connection, run: 'echo started; sleep 60' };
  const { stdout } = await expectFailure(job, inputs, { task: 'run', onLine });
  assert.match(stdout, /the connection to the sandbox ended before the stream completed/);
});

test('a snapshot of the stand-in starts sandboxes with a copy of the files, until it is deleted', async () => {
  await using job = await openService();
  const { service, call } = job;
  const original = service.create();
  const file = (root: string) => path.join(root, 'home/user/a.txt');
  writeFileSync(file(original.root), 'a');
  const taken = await call('POST', `/sandboxes/${original.id}/snapshots`, {});
  assert.deepEqual([taken.status, taken.fields.names], [201, []]);
  const creation = { templateID: taken.fields.snapshotID };
  writeFileSync(file(original.root), 'b');
  for (const place of ['/sandboxes', '/v2/sandboxes']) await call('POST', place, creation);
  const [, one, two] = service.created;
  assert.ok(one && two && one.root !== two.root);
  for (const { root } of [one, two]) assert.equal(readFileSync(file(root), 'utf8'), 'a');
  const snapshot = `/templates/${taken.fields.snapshotID}`;
  assert.equal((await call('DELETE', snapshot)).status, 204);
  assert.equal((await call('DELETE', snapshot)).status, 404);
  assert.equal((await call('POST', '/sandboxes', creation)).status, 404);
  assert.ok(existsSync(file(one.root)));
});

test('the stand-in gives commands the variables that the sandbox was created with, below their own', {
  skip: skipOnWindows('there is no /bin/bash'),
}, async () => {
  await using job = await openService();
  const { service, call } = job;
  await call('POST', '/sandboxes', { templateID: 'base', envVars: { A: '1', B: '1' } });
  const [{ id, token } = assert.fail()] = service.created;
  const connection = { 'sandbox-id': id, token, 'base-url': service.url, 'header-prefix': 'E2b' };
  const inputs = { ...connection, env: 'B=2', run: 'echo "seen $A$B"' };
  const { stdout } = await expectSuccess(job, inputs, { task: 'run' });
  assert.match(stdout, /^seen 12$/m);
});

test('the stand-in refuses a sandbox above the limit of its account, and a lifetime above a day', async () => {
  await using job = await openService();
  const { service, call } = job;
  const long = await call('POST', '/sandboxes', { templateID: 'base', timeout: 86_401 });
  assert.deepEqual(long.fields, { code: 400, message: 'Timeout cannot be greater than 24 hours' });
  for (let count = 0; count < 20; count += 1) service.create();
  const { status, fields } = await call('POST', '/sandboxes', { templateID: 'base' });
  assert.equal(status, 429);
  assert.match(fields.message, /^you have reached the maximum number of concurrent E2B sandboxes/);
});

for (const [host, status] of [
  ['127.0.0.1:80', 404],
  ['localhost', 404],
  ['[::1]:8080', 404],
  ['rebound.example.com', 403],
  ['127.0.0.1.example.com', 403],
] as const)
  test(`the stand-in only answers requests for a host of this machine [${host}]`, async () => {
    await using job = await openService();
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const headers = { 'X-API-Key': API_KEY, Host: host };
    const sent = request(`${job.service.url}/sandboxes/i1`, { headers }, answer => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    });
    sent.on('error', reject).end();
    assert.equal(await promise, status);
  });
