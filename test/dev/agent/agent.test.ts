import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { canBeNamed } from '../../system.ts';
import { form, HEADERS, openSandbox } from './opened.ts';

// Tests what the action never does; test/e2e covers the rest.

test('the stand-in checks the routing headers, then the token', async () => {
  await using sandbox = await openSandbox();
  const cases = [
    { headers: { 'Svc-Sandbox-Id': '' }, status: 400, says: 'is missing' },
    { headers: { 'Svc-Sandbox-Id': 'other' }, status: 502, says: 'was not found' },
    { headers: { 'Svc-Sandbox-Port': '80' }, status: 502, says: 'port is not open' },
    { headers: { 'X-Access-Token': 'other' }, status: 401, says: 'access token' },
  ];
  for (const { headers, status, says } of cases) {
    for (const answer of [
      await sandbox.put('/a', '', headers),
      await sandbox.stats({ ...HEADERS, ...headers }),
    ]) {
      assert.equal(answer.status, status);
      assert.match(await answer.text(), new RegExp(says));
    }
  }
  assert.deepEqual(readdirSync(sandbox.root), []);
});

test('the stand-in stores, lists and records an upload', async () => {
  const seen: unknown[] = [];
  await using sandbox = await openSandbox({ onRequest: ({ url }) => seen.push(url) });
  const answer = await sandbox.put('/srv/a', 'hello', { 'X-Metadata-Owner': 'ann' });
  const entry = { metadata: { owner: 'ann' }, name: 'a', path: '/srv/a', type: 'file' };
  assert.deepEqual(await answer.json(), [entry]);
  assert.equal(await sandbox.read('/srv/a'), 'hello');
  const [record] = sandbox.agent.requests;
  const { method, url, headers, ...rest } = record ?? assert.fail();
  assert.deepEqual([method, url], ['POST', '/files?path=%2Fsrv%2Fa']);
  assert.deepEqual(rest, { filenames: ['part'], status: 200 });
  assert.equal(headers['svc-sandbox-port'], '49983');
  assert.deepEqual(seen, [url]);
});

test('the stand-in resolves paths as envd does, inside the root', async () => {
  await using sandbox = await openSandbox();
  const answers = {
    '/a/./c': '/a/./c',
    'a/../b/./c/': '/home/user/b/c',
    '../../c': '/c',
    '~/d': '/home/user/d',
    '/../e': '/../e',
    '/it\'s 50%, #1 ä"文🙂': '/it\'s 50%, #1 ä"文🙂',
  };
  for (const [given, stored] of Object.entries(answers).filter(([name]) => canBeNamed(name))) {
    const [entry] = JSON.parse(await (await sandbox.put(given, given)).text());
    assert.equal(entry.path, stored);
    assert.equal(await sandbox.read(path.posix.resolve('/', stored)), given);
  }
  assert.deepEqual(readdirSync(sandbox.outside), ['root']);
  writeFileSync(path.join(sandbox.root, 'file'), '');
  const rejected = { '/home': 400, '/': 400, '': 400, '/new/': 400, '~bob/a': 400, '/file/a': 500 };
  for (const [given, status] of Object.entries({ ...rejected, '/a\0b': 500 }))
    assert.equal((await sandbox.put(given, 'x')).status, status, given);
});

test('the stand-in rejects forms that envd rejects, and keeps the part of a file that arrived', async () => {
  await using sandbox = await openSandbox();
  const cutOff = '--B\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\npartial';
  const type = { 'Content-Type': 'multipart/form-data; boundary=B' };
  const two = form(['one', 'two']);
  const cases: readonly (readonly [number, string, FormData | string, Record<string, string>])[] = [
    [400, '?path=/b', '{}', { 'Content-Type': 'application/json' }],
    [500, '?path=/b', '', { 'Content-Type': 'multipart/form-data' }],
    [500, '?path=/b', 'garbage', type],
    [500, '?path=/a', cutOff, type],
    [400, '?path=/c', two, {}],
    [400, '?path=/d&path=/e', form(['x']), {}],
    [401, '?path=d&username=bob', form(['x']), {}],
    [200, '?path=d&username=root', form(['x']), {}],
    [400, '?path=/d', form(['x']), { 'X-Metadata-A': 'x'.repeat(5000) }],
    [400, '?path=/d', form(['x']), { 'Content-Encoding': 'br' }],
  ];
  for (const [status, query, body, headers] of cases)
    assert.equal((await sandbox.post(query, body, headers)).status, status, query);
  assert.equal(await sandbox.read('/a'), 'partial');
  assert.equal(await sandbox.read('/root/d'), 'x');
});
