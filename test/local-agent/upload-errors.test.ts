import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { platform } from 'node:process';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startAgent } from '../../local-agent/agent.ts';
import { form, HEADERS, openSandbox, SANDBOX_ID, TOKEN } from './harness.ts';

const BROKEN = [
  { name: 'another type', type: 'application/json', body: '{}', status: 400 },
  { name: 'no boundary', type: 'multipart/form-data', body: '', status: 400 },
  { name: 'no form', type: 'multipart/form-data; boundary=B', body: 'garbage', status: 500 },
  { name: 'an empty body', type: 'multipart/form-data; boundary=B', body: '', status: 500 },
];
for (const { name, type, body, status } of BROKEN) {
  test(`${name} is answered ${status}`, async () => {
    await using sandbox = await openSandbox();
    assert.equal((await sandbox.post('?path=/a', body, { 'Content-Type': type })).status, status);
  });
}

const CUT_FORM = '--B\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\npartial';

test('a form that is cut off is answered 500 and leaves a partial file', async () => {
  await using sandbox = await openSandbox();
  const headers = { 'Content-Type': 'multipart/form-data; boundary=B' };
  const response = await sandbox.post('?path=/cut', CUT_FORM, headers);
  assert.equal(response.status, 500);
  assert.equal(await sandbox.read('/cut'), 'partial');
});

test('a client that ends its side within the body is told 500', async () => {
  await using sandbox = await openSandbox();
  const { hostname, port } = new URL(sandbox.agent.url);
  const socket = connect(Number(port), hostname);
  const headers = {
    ...HEADERS,
    Host: hostname,
    'Content-Length': '1000',
    'Content-Type': 'multipart/form-data; boundary=B',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`POST /files?path=/cut HTTP/1.1\r\n${lines.join('')}\r\n${CUT_FORM}`);
  assert.match(await text(socket), /^HTTP\/1\.1 500 /);
  await sandbox.agent.close();
  assert.equal(await sandbox.read('/cut'), 'partial');
  assert.equal(sandbox.agent.requests[0]?.aborted, true);
});

test('a directory as target is answered 400', async () => {
  await using sandbox = await openSandbox();
  await mkdir(join(sandbox.root, 'dir'));
  for (const path of ['/dir', '/dir/', '/', '', '.', '/home/user', '/new/']) {
    assert.equal((await sandbox.put(path, 'x')).status, 400, path);
  }
});

test('a file as parent of the target is answered 500', async () => {
  await using sandbox = await openSandbox();
  await writeFile(join(sandbox.root, 'file'), '');
  for (const path of ['/file/a', '/file/a/b']) {
    assert.equal((await sandbox.put(path, 'x')).status, 500, path);
  }
});

test('a full disk is answered 507', { skip: platform !== 'linux' && 'needs /dev/full' }, async () => {
  await using agent = await startAgent({ root: '/dev', token: TOKEN, sandboxId: SANDBOX_ID });
  const init = { method: 'POST', headers: HEADERS, body: form(['x']) };
  assert.equal((await fetch(`${agent.url}/files?path=/full`, init)).status, 507);
});
