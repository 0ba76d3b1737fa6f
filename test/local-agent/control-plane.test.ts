import assert from 'node:assert/strict';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { startControlPlane } from '../../local-agent/control-plane.ts';

test('a control plane creates, lends, hands on to and deletes sandboxes, and refuses what is wrong', async () => {
  using folder = mkdtempDisposableSync(`${tmpdir()}/plane-`);
  await using plane = await startControlPlane({ apiKey: 'key', folder: folder.path });
  const ask = async (asked: string, body?: object, headers: Readonly<Record<string, string>> = {}) => {
    const [method = '', path] = asked.split(' ');
    const init = { method, headers: { 'X-API-Key': 'key', ...headers }, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${plane.url}${path}`, init);
    const text = await answer.text();
    return { status: answer.status, ...(text.startsWith('{') ? JSON.parse(text) : {}) };
  };
  const template = { templateID: 'base' };
  assert.equal((await ask('POST /sandboxes', template, { 'X-API-Key': 'no' })).status, 401);
  assert.equal((await ask('POST /sandboxes', {})).status, 400);
  assert.equal((await ask('POST /sandboxes', { ...template, timeout: 90_000 })).status, 400);
  assert.deepEqual(Object.keys(await ask('POST /sandboxes', template)), [
    'status',
    'sandboxID',
    'envdVersion',
    'domain',
  ]);
  const { status, sandboxID, envdAccessToken } = await ask('POST /sandboxes', { ...template, secure: true });
  assert.equal(status, 201);
  const routing = { 'E2b-Sandbox-Id': sandboxID, 'E2b-Sandbox-Port': '49983', 'X-Access-Token': envdAccessToken };
  assert.equal((await ask('GET /metrics', undefined, routing)).status, 200);
  assert.equal((await ask(`POST /sandboxes/${sandboxID}/connect`, {})).status, 400);
  const { envdAccessToken: anew } = await ask(`POST /sandboxes/${sandboxID}/connect`, { timeout: 60 });
  assert.equal(anew, envdAccessToken);
  assert.equal((await ask(`POST /sandboxes/${sandboxID}/timeout`, { timeout: 60 })).status, 204);
  for (const expected of [204, 404]) assert.equal((await ask(`DELETE /sandboxes/${sandboxID}`)).status, expected);
  assert.equal((await ask('GET /metrics', undefined, routing)).status, 502);
  assert.equal(plane.running().length, 1);
});
