import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { canBeNamed, onWindows } from '../../system.ts';
import { form, HEADERS, openSandbox } from './opened.ts';

// What a client cannot see, or the action never asks for; the tests of the action cover the rest.

test('checks the routing headers, then the token', async () => {
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
  const html = await sandbox.put('/a', '', { 'Svc-Sandbox-Id': 'other', Accept: '*/*' });
  assert.match(await html.text(), /<h1>502<\/h1>/);
  assert.deepEqual(readdirSync(sandbox.root), []);
});

test('takes a signature instead of the token for its path, user and time alone', async () => {
  await using sandbox = await openSandbox();
  const { 'X-Access-Token': _, ...headers } = HEADERS;
  const sign = (...parts: string[]) =>
    `v1_${createHash('sha256').update(parts.join(':')).digest('base64').replace(/=+$/, '')}`;
  const write = (name: string, user = '', ...expires: string[]) =>
    sign(name, 'write', user, 'a-token', ...expires);
  const cases = [
    { status: 200, path: '/a', signature: write('/a') },
    { status: 200, path: 'a', username: 'user', signature: write('a', 'user') },
    { status: 401, path: '/b', signature: write('/a') },
    { status: 401, path: '/a', signature_expiration: '1', signature: write('/a', '', '1') },
    { status: 401, path: '/a' },
    { status: 400, path: '/a', signature_expiration: 'soon', signature: write('/a', '', 'soon') },
  ];
  for (const { status, ...query } of cases) {
    const url = `${sandbox.agent.url}/files?${new URLSearchParams({ ...query }).toString()}`;
    const answer = await fetch(url, { method: 'POST', headers, body: form(['x']) });
    assert.equal(answer.status, status, JSON.stringify(query));
  }
});

test('stores, lists and records an upload', async () => {
  const seen: unknown[] = [];
  await using sandbox = await openSandbox({ onRequest: ({ url }) => seen.push(url) });
  const answer = await sandbox.put('/srv/a', 'hello', { 'X-Metadata-Owner': 'ann' });
  const entry = { metadata: { owner: 'ann' }, name: 'a', path: '/srv/a', type: 'file' };
  assert.deepEqual(await answer.json(), [entry]);
  assert.equal(await sandbox.read('/srv/a'), 'hello');
  const [record] = sandbox.agent.requests;
  const { method, url, contentLength, bodyBytes, headers, ...rest } = record ?? assert.fail();
  assert.deepEqual([method, url], ['POST', '/files?path=%2Fsrv%2Fa']);
  assert.deepEqual(rest, { filenames: ['part'], status: 200, aborted: false });
  assert.equal(bodyBytes, contentLength);
  assert.equal(headers['svc-sandbox-port'], '49983');
  assert.deepEqual([seen, sandbox.agent.maxInFlight], [[url], 1]);
});

test('resolves paths as the reference agent does, inside the root', async () => {
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
  const refused = { '/home': 400, '/': 400, '': 400, '/new/': 400, '~bob/a': 400, '/file/a': 500 };
  for (const [given, status] of Object.entries({ ...refused, '/a\0b': 500 }))
    assert.equal((await sandbox.put(given, 'x')).status, status, given);
});

test('stores a batch by whole filenames, or as an option says', async () => {
  const batch = form(['one', 'two'], ['sub/ä 1', '/abs/2']);
  const expected = {
    'whole filename': ['/home/user/sub/ä 1', '/abs/2'],
    'last part of filename': ['/home/user/ä 1', '/home/user/2'],
    'one file': undefined,
  } as const;
  for (const withoutPath of ['whole filename', 'last part of filename', 'one file'] as const) {
    await using sandbox = await openSandbox({ withoutPath });
    const answer = await sandbox.post('', batch);
    const entries: unknown = await answer.json();
    assert.equal(answer.status, expected[withoutPath] ? 200 : 400);
    const places = Array.isArray(entries) ? entries.map(({ path: place }) => place) : undefined;
    assert.deepEqual(places, expected[withoutPath]);
    assert.deepEqual(sandbox.agent.requests[0]?.filenames, ['sub/ä 1', '/abs/2']);
  }
});

test('refuses forms that the reference agent refuses, and keeps what was cut off', async () => {
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

const skip = onWindows('whoever opens a link there opens what it leads to');
test('follows symlinks inside the root only', { skip }, async () => {
  await using sandbox = await openSandbox();
  // Its name starts like the root's.
  const elsewhere = path.join(sandbox.outside, 'root-2');
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, path.join(sandbox.root, 'out'));
  await sandbox.put('/real/file', 'old');
  symlinkSync('real', path.join(sandbox.root, 'dir'));
  symlinkSync('real/file', path.join(sandbox.root, 'link'));
  const statuses = ['/out/a', '/out/new/deep/a', '/dir/new', '/link'].map(
    async name => (await sandbox.put(name, 'new')).status,
  );
  assert.deepEqual(await Promise.all(statuses), [400, 400, 200, 200]);
  assert.deepEqual([readdirSync(elsewhere), await sandbox.read('/real/file')], [[], 'new']);
});
