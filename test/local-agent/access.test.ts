import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEADERS, openSandbox, SANDBOX_ID } from './harness.ts';

const REFUSED = [
  { name: 'a wrong token', headers: { 'X-Access-Token': 'other' }, status: 401 },
  { name: 'an empty token', headers: { 'X-Access-Token': '' }, status: 401 },
  { name: 'no sandbox id', headers: { 'Svc-Sandbox-Id': '' }, status: 400 },
  { name: 'no sandbox port', headers: { 'Svc-Sandbox-Port': '' }, status: 400 },
  { name: 'a wrong sandbox id', headers: { 'Svc-Sandbox-Id': 'other' }, status: 502 },
  { name: 'a wrong sandbox port', headers: { 'Svc-Sandbox-Port': '80' }, status: 502 },
];

for (const { name, headers, status } of REFUSED) {
  test(`${name} is answered ${status} by both operations`, async () => {
    await using sandbox = await openSandbox();
    const stats = await fetch(`${sandbox.agent.url}/metrics`, { headers: { ...HEADERS, ...headers } });
    const upload = await sandbox.put('/a', 'text', headers);
    assert.deepEqual([stats.status, upload.status], [status, status]);
    await assert.rejects(sandbox.read('/a'), { code: 'ENOENT' });
  });
}

test('the errors of routing name the sandbox and what is wrong', async () => {
  await using sandbox = await openSandbox();
  const lost = await sandbox.put('/a', '', { 'Svc-Sandbox-Id': 'other' });
  assert.deepEqual(await lost.json(), {
    sandboxId: 'other',
    message: 'The sandbox was not found',
    code: 502,
  });
  const shut = await sandbox.put('/a', '', { 'Svc-Sandbox-Port': '1' });
  const message = 'The sandbox is running but port is not open';
  assert.deepEqual(await shut.json(), { sandboxId: SANDBOX_ID, message, code: 502 });
});

test('errors are JSON for those who accept it, else HTML', async () => {
  await using sandbox = await openSandbox();
  const json = await sandbox.put('/a', '', { 'X-Access-Token': 'other' });
  assert.match(json.headers.get('content-type') ?? '', /^application\/json/);
  assert.deepEqual(await json.json(), { message: 'The access token is missing or wrong', code: 401 });
  const html = await sandbox.put('/a', '', { 'X-Access-Token': 'other', Accept: '*/*' });
  assert.match(html.headers.get('content-type') ?? '', /^text\/html/);
  assert.match(await html.text(), /<h1>401<\/h1>/);
});

test('operations that do not exist are answered 404', async () => {
  await using sandbox = await openSandbox();
  for (const [method, path] of [
    ['GET', '/files'],
    ['POST', '/metrics'],
    ['GET', '/'],
    ['GET', '/metrics/'],
  ]) {
    const response = await fetch(`${sandbox.agent.url}${path}`, {
      headers: HEADERS,
      ...(method && { method }),
    });
    assert.equal(response.status, 404, `${method} ${path}`);
  }
});

test('header prefix, port and paths are options', async () => {
  await using sandbox = await openSandbox({
    headerPrefix: 'E2b',
    sandboxPort: 1234,
    uploadPath: '/x/files',
    statsPath: '/x/metrics',
  });
  const { 'X-Access-Token': token } = HEADERS;
  const headers = { 'X-Access-Token': token, 'e2b-sandbox-id': SANDBOX_ID, 'e2b-sandbox-port': '1234' };
  assert.equal((await fetch(`${sandbox.agent.url}/x/metrics`, { headers })).status, 200);
  assert.equal((await sandbox.stats()).status, 400);
});

test('a refused upload leaves the connection usable', async () => {
  await using sandbox = await openSandbox();
  const big = 'x'.repeat(300_000);
  assert.equal((await sandbox.put('/a', big, { 'X-Access-Token': 'other' })).status, 401);
  assert.equal((await sandbox.put('/a', big)).status, 200);
});
