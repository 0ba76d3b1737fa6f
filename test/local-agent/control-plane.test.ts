import assert from 'node:assert/strict';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { startControlPlane } from '../../dev/agent/control-plane.ts';

test('a control plane creates, lends, hands on to and deletes sandboxes, and refuses what is wrong', async () => {
  using folder = mkdtempDisposableSync(`${tmpdir()}/plane-`);
  await using plane = await startControlPlane({ apiKey: 'key', folder: folder.path });
  const ask = async (
    asked: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const [method = '', path] = asked.split(' ');
    const init = {
      method,
      headers: {
        'X-API-Key': 'key',
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    };
    const answer = await fetch(`${plane.url}${path}`, init);
    const text = await answer.text();
    return { status: answer.status, ...(text.startsWith('{') ? JSON.parse(text) : {}) };
  };
  const template = { templateID: 'base' };
  assert.equal((await ask('POST /sandboxes', template, { 'X-API-Key': 'no' })).status, 401);
  const wrong = [
    {},
    [],
    { templateID: 1 },
    ...[90_000, 0, 1.5, '60'].map(timeout => ({ ...template, timeout })),
    { ...template, secure: 'true' },
    { ...template, metadata: { run: 1 } },
    { ...template, envVars: ['A=b'] },
    { ...template, lifetime: 60 },
  ];
  for (const body of wrong) {
    const { status } = await ask('POST /sandboxes', body);
    assert.equal(status, 400, JSON.stringify(body));
  }
  assert.equal((await ask('POST /sandboxes', { templateID: 'none' })).status, 404);
  const asText = { 'Content-Type': 'text/plain' };
  assert.equal((await ask('POST /sandboxes', template, asText)).status, 415);
  for (const asked of ['GET /sandboxes', 'POST /sandboxes/', 'PUT /sandboxes/x', 'POST /sandbox'])
    assert.equal((await ask(asked)).status, 404, asked);
  assert.deepEqual(Object.keys(await ask('POST /sandboxes', template)), [
    'status',
    'templateID',
    'sandboxID',
    'clientID',
    'envdVersion',
    'domain',
  ]);
  const { status, sandboxID, envdAccessToken } = await ask('POST /sandboxes', {
    ...template,
    secure: true,
  });
  assert.equal(status, 201);
  const routing = {
    'E2b-Sandbox-Id': sandboxID,
    'E2b-Sandbox-Port': '49983',
    'X-Access-Token': envdAccessToken,
  };
  assert.equal((await ask('GET /metrics', undefined, routing)).status, 200);
  assert.equal((await ask(`POST /sandboxes/${sandboxID}/connect`, {})).status, 400);
  const { envdAccessToken: anew } = await ask(`POST /sandboxes/${sandboxID}/connect`, {
    timeout: 60,
  });
  assert.equal(anew, envdAccessToken);
  assert.equal((await ask(`POST /sandboxes/${sandboxID}/timeout`, { timeout: 60 })).status, 204);
  for (const expected of [204, 404])
    assert.equal((await ask(`DELETE /sandboxes/${sandboxID}`)).status, expected);
  assert.equal((await ask('GET /metrics', undefined, routing)).status, 502);
  assert.equal(plane.running().length, 1);
});
