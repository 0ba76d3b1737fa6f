import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { API_KEY } from '../support/job-with-api.ts';
import { expectFailure } from '../support/run-action.ts';
import { pollUntil } from '../support/running-monitor.ts';
import { skipOnWindows } from '../support/system.ts';
import { openEmptyJob, openJob, SANDBOX_ID } from '../support/test-job.ts';

async function openService() {
  const job = await openEmptyJob({ apiKey: API_KEY });
  const call = async (method: string, place: string, body?: object) => {
    const answer = await fetch(job.service.url + place, {
      method,
      headers: { 'X-API-Key': API_KEY, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const type = answer.headers.get('content-type');
    return { status: answer.status, type, fields: text === '' ? undefined : JSON.parse(text) };
  };
  return { ...job, call };
}

const NAMES = {
  alias: 'string',
  clientID: 'string',
  envdVersion: 'string',
  sandboxID: 'string',
  templateID: 'string',
};
const ACCESS = { ...NAMES, envdAccessToken: 'string' };
const LISTED = {
  ...NAMES,
  cpuCount: 'number',
  diskSizeMB: 'number',
  endAt: 'string',
  memoryMB: 'number',
  metadata: { probe: 'string' },
  startedAt: 'string',
  state: 'string',
  volumeMounts: [],
};
const DETAILS = { ...LISTED, ...ACCESS, lifecycle: { autoResume: 'boolean', onTimeout: 'string' } };
const ERROR = { code: 'number', message: 'string' };
const CREATION = { templateID: 'base', timeout: 300, metadata: { probe: 'a b' } };

/**
 * What E2B's hosted service answered to its SDK 2.52.0 on 2026-10-03 (recorded in
 * e2e/providers/e2b/golden of arugula-salad/wisp): the names and types of all fields. The requests
 * are sent in this order. `ID` stands for that of the first sandbox.
 */
const RECORDED: readonly (readonly [string, status: number, shape: unknown, body?: object])[] = [
  ['POST /v2/sandboxes', 201, ACCESS, CREATION],
  ['GET /sandboxes/ID', 200, DETAILS],
  ['GET /v2/sandboxes?metadata=probe%3Da%2Bb', 200, [LISTED]],
  ['GET /v2/sandboxes?metadata=probe%3Dc', 200, []],
  // The service answered 201 to this, since it resumed the sandbox.
  ['POST /v2/sandboxes/ID/connect', 200, ACCESS, {}],
  ['DELETE /sandboxes/ID', 204, undefined],
  ['DELETE /sandboxes/ID', 404, ERROR],
  ['GET /sandboxes/ID', 404, ERROR],
  ['POST /v2/sandboxes/ID/connect', 404, ERROR, {}],
];

test("the stand-in's API answers with the statuses and fields that E2B's was recorded with", async () => {
  await using job = await openService();
  for (const [sent, status, shape, body] of RECORDED) {
    const [method = '', place = ''] = sent.split(' ');
    const id = job.service.created[0]?.id ?? '';
    const answer = await job.call(method, place.replace('ID', id), body);
    assert.deepEqual([answer.status, shapeOf(answer.fields)], [status, shape], sent);
    const type = shape === undefined ? null : 'application/json; charset=utf-8';
    assert.equal(answer.type, type, sent);
  }
});

/** Replaces each value by the name of its type. */
function shapeOf(value: unknown): unknown {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
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
  await using job = await openJob({ runCommands: true });
  const { service } = job;
  const sandbox = service.find(SANDBOX_ID) ?? assert.fail();
  const onLine = (line: string) => line === 'started' && service.remove(sandbox);
  const inputs = { run: 'echo started; sleep 60' };
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

for (const [host, status] of [
  ['127.0.0.1:80', 404],
  ['[::1]:8080', 404],
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
