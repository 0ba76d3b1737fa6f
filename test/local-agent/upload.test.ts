import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { form, HEADERS, openSandbox } from './harness.ts';

test('a file is stored at its path, under new parents, and answered as text', async () => {
  await using sandbox = await openSandbox();
  const response = await sandbox.put('/srv/www/index.html', 'hello');
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  const entry = { path: '/srv/www/index.html', name: 'index.html', type: 'file' };
  assert.deepEqual(await response.json(), [entry]);
  assert.equal(await sandbox.read('/srv/www/index.html'), 'hello');
});

test('the entry can be answered bare', async () => {
  await using sandbox = await openSandbox({ entryShape: 'object' });
  const response = await sandbox.put('/a', 'text');
  assert.deepEqual(await response.json(), { path: '/a', name: 'a', type: 'file' });
});

test('an existing file is overwritten in place', async () => {
  await using sandbox = await openSandbox();
  await sandbox.put('/a', 'a long first text');
  const before = await stat(join(sandbox.root, 'a'));
  await sandbox.put('/a', 'short');
  const after = await stat(join(sandbox.root, 'a'));
  assert.equal(await sandbox.read('/a'), 'short');
  assert.equal(after.ino, before.ino);
});

test('an empty file is stored', async () => {
  await using sandbox = await openSandbox();
  assert.equal((await sandbox.put('/empty', '')).status, 200);
  assert.equal(await sandbox.read('/empty'), '');
});

test('many megabytes arrive unchanged, with and without a Content-Length', async () => {
  await using sandbox = await openSandbox();
  const content = Array.from({ length: 400_000 }, (_, index) => `line ${index}\r\n--`).join('');
  assert.equal((await sandbox.put('/big', content)).status, 200);
  assert.ok((await sandbox.read('/big')) === content);

  const whole = new Response(form([content]));
  const response = await fetch(`${sandbox.agent.url}/files?path=/chunked`, {
    method: 'POST',
    headers: { ...HEADERS, 'Content-Type': whole.headers.get('content-type') ?? '' },
    body: whole.body,
    duplex: 'half',
  });
  assert.equal(response.status, 200);
  assert.ok((await sandbox.read('/chunked')) === content);
  const [announced, chunked] = sandbox.agent.requests;
  assert.equal(announced?.contentLength, announced?.bodyBytes);
  assert.equal(chunked?.contentLength, undefined);
  assert.equal(chunked?.bodyBytes, announced?.bodyBytes);
});

const NAMES = [
  'with space',
  'a"b',
  "it's",
  '50%',
  '%41',
  '#1',
  'a?b&c=d',
  'a+b',
  'Ünïcödé 文件 🙂',
  'a\nb',
  'a\\b',
  '-x',
  '...',
  'a;b=c',
];
for (const name of NAMES) {
  test(`the name ${JSON.stringify(name)} is stored exactly`, async () => {
    await using sandbox = await openSandbox();
    const response = await sandbox.put(`/dir/${name}`, 'text');
    assert.deepEqual(await response.json(), [{ path: `/dir/${name}`, name, type: 'file' }]);
    assert.deepEqual(await readdir(join(sandbox.root, 'dir')), [name]);
  });
}

test('relative paths start at the home of the user', async () => {
  await using sandbox = await openSandbox({ users: ['user', 'root', 'ann'] });
  assert.equal((await sandbox.put('a/b', 'default')).status, 200);
  assert.equal(await sandbox.read('/home/user/a/b'), 'default');
  assert.equal((await sandbox.post('?path=c&username=root', form(['root']))).status, 200);
  assert.equal(await sandbox.read('/root/c'), 'root');
  assert.equal((await sandbox.post('?path=c&username=ann', form(['ann']))).status, 200);
  assert.equal(await sandbox.read('/home/ann/c'), 'ann');
});

test('an empty or unknown user is answered 401', async () => {
  await using sandbox = await openSandbox();
  assert.equal((await sandbox.post('?path=a&username=', form(['x']))).status, 401);
  assert.equal((await sandbox.post('?path=a&username=bob', form(['x']))).status, 401);
});

test('without a path, each part goes where its whole filename says', async () => {
  await using sandbox = await openSandbox();
  const response = await sandbox.post('', form(['one', 'two'], ['sub/ä 1', '/abs/2']));
  assert.deepEqual(await response.json(), [
    { path: '/home/user/sub/ä 1', name: 'ä 1', type: 'file' },
    { path: '/abs/2', name: '2', type: 'file' },
  ]);
  assert.equal(await sandbox.read('/home/user/sub/ä 1'), 'one');
  assert.equal(await sandbox.read('/abs/2'), 'two');
  assert.deepEqual(sandbox.agent.requests[0]?.filenames, ['sub/ä 1', '/abs/2']);
});

test('several parts cannot share one path', async () => {
  await using sandbox = await openSandbox();
  assert.equal((await sandbox.post('?path=/a', form(['one', 'two']))).status, 400);
});

test('only parts named file count', async () => {
  await using sandbox = await openSandbox();
  const data = new FormData();
  data.append('other', new Blob(['x'.repeat(100_000)]), '/other');
  data.append('note', 'text');
  const nothing = await sandbox.post('?path=/a', data);
  assert.deepEqual([nothing.status, await nothing.text()], [200, '[]']);
  data.append('file', new Blob(['text']), 'f');
  assert.equal((await sandbox.post('?path=/a', data)).status, 200);
  assert.equal(await sandbox.read('/a'), 'text');
  assert.deepEqual(await readdir(sandbox.root), ['a']);
});

test('a form without any part is answered with no entry', async () => {
  await using sandbox = await openSandbox();
  const headers = { 'Content-Type': 'multipart/form-data; boundary=B' };
  const response = await sandbox.post('?path=/a', '--B--\r\n', headers);
  assert.deepEqual([response.status, await response.text()], [200, '[]']);
});

test('metadata headers come back in the entry', async () => {
  await using sandbox = await openSandbox();
  const response = await sandbox.put('/a', '', { 'X-Metadata-Owner': 'ann', 'X-Metadata-build-id': '7' });
  const metadata = { owner: 'ann', 'build-id': '7' };
  assert.deepEqual(await response.json(), [{ path: '/a', name: 'a', type: 'file', metadata }]);
});

test('a question mark within the query belongs to the path', async () => {
  await using sandbox = await openSandbox();
  assert.equal((await sandbox.post('?path=/a?b', form(['x']))).status, 200);
  assert.equal(await sandbox.read('/a?b'), 'x');
});

test('signatures are accepted and recorded', async () => {
  await using sandbox = await openSandbox();
  await sandbox.post('?path=/a&signature=v1_x&signature_expiration=99', form(['x']));
  const { method, url, headers, status, aborted } = sandbox.agent.requests[0] ?? assert.fail();
  assert.deepEqual([method, status, aborted], ['POST', 200, false]);
  assert.equal(url, '/files?path=/a&signature=v1_x&signature_expiration=99');
  assert.equal(headers['svc-sandbox-port'], '49983');
});
