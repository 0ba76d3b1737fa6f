import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startAgent } from '../../dev/agent/agent.ts';
import { canBeNamed, onWindows, unlessLinux } from '../system.ts';
import { form, HEADERS, openSandbox, SANDBOX_ID, TOKEN } from './harness.ts';

test('a file is stored at its path, under new parents, answered as text and recorded', async () => {
  await using sandbox = await openSandbox();
  const query = '?path=/srv/a&signature=v1?x';
  const response = await sandbox.post(query, form(['hello']), { 'X-Metadata-Owner': 'ann' });
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  const entry = { path: '/srv/a', name: 'a', type: 'file', metadata: { owner: 'ann' } };
  assert.deepEqual([response.status, await response.json()], [200, [entry]]);
  assert.equal(await sandbox.read('/srv/a'), 'hello');
  const { method, url, headers, status, aborted } = sandbox.agent.requests[0] ?? assert.fail();
  assert.deepEqual([method, url, status, aborted], ['POST', `/files${query}`, 200, false]);
  assert.equal(headers['svc-sandbox-port'], '49983');
});

test('the entry can be answered bare', async () => {
  await using sandbox = await openSandbox({ entryShape: 'object' });
  const response = await sandbox.put('/empty', '');
  assert.deepEqual(await response.json(), { path: '/empty', name: 'empty', type: 'file' });
  assert.equal(await sandbox.read('/empty'), '');
});

test('an existing file is overwritten in place', async () => {
  await using sandbox = await openSandbox();
  await sandbox.put('/a', 'a long first text');
  const before = await stat(join(sandbox.root, 'a'));
  await sandbox.put('/a', 'short');
  assert.equal(await sandbox.read('/a'), 'short');
  assert.equal((await stat(join(sandbox.root, 'a'))).ino, before.ino);
});

test('many megabytes arrive unchanged, with and without a Content-Length', async () => {
  await using sandbox = await openSandbox();
  const content = Array.from({ length: 400_000 }, (_, index) => `line ${index}\r\n--`).join('');
  const whole = new Response(form([content]));
  const chunked = { 'Content-Type': whole.headers.get('content-type') ?? '' };
  assert.equal((await sandbox.put('/big', content)).status, 200);
  const init = {
    method: 'POST',
    headers: { ...HEADERS, ...chunked },
    body: whole.body,
    duplex: 'half',
  } as const;
  assert.equal((await fetch(`${sandbox.agent.url}/files?path=/chunked`, init)).status, 200);
  for (const path of ['/big', '/chunked']) assert.ok((await sandbox.read(path)) === content);
  const [first, second] = sandbox.agent.requests;
  assert.equal(first?.contentLength, first?.bodyBytes);
  assert.deepEqual([second?.contentLength, second?.bodyBytes], [undefined, first?.bodyBytes]);
});

const NAMES = 'with space,a"b,it\'s,50%,%41,#1,a?b&c=d,a+b,Ünïcödé 文件 🙂,a\nb,a\\b,-x,...,a;b=c'
  .split(',')
  .filter(canBeNamed);

test('names are stored exactly', async () => {
  await using sandbox = await openSandbox();
  for (const name of NAMES) {
    const response = await sandbox.put(`/dir/${name}`, 'text');
    assert.deepEqual(await response.json(), [{ path: `/dir/${name}`, name, type: 'file' }]);
  }
  assert.deepEqual((await readdir(join(sandbox.root, 'dir'))).sort(), NAMES.toSorted());
});

test('relative paths start at the home of the user, who must be known', async () => {
  await using sandbox = await openSandbox({ users: ['user', 'root', 'ann'] });
  const homes = { '': '/home/user', '&username=root': '/root', '&username=ann': '/home/ann' };
  for (const [query, home] of Object.entries(homes)) {
    assert.equal((await sandbox.post(`?path=a/b${query}`, form([home]))).status, 200);
    assert.equal(await sandbox.read(`${home}/a/b`), home);
  }
  for (const user of ['', 'bob'])
    assert.equal((await sandbox.post(`?path=a&username=${user}`, form(['x']))).status, 401);
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
  assert.equal((await sandbox.post('?path=/a', form(['one', 'two']))).status, 400);
});

test('only parts named file count', async () => {
  await using sandbox = await openSandbox();
  const data = new FormData();
  data.append('other', new Blob(['x'.repeat(100_000)]), '/other');
  data.append('note', 'text');
  assert.equal(await (await sandbox.post('?path=/a', data)).text(), '[]');
  data.append('file', new Blob(['text']), 'f');
  assert.equal((await sandbox.post('?path=/a', data)).status, 200);
  assert.equal(await sandbox.read('/a'), 'text');
  assert.deepEqual(await readdir(sandbox.root), ['a']);
});

const FORM = 'multipart/form-data; boundary=B';
const CUT_OFF = '--B\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\npartial';

test('what is no form is refused, and one that is cut off leaves a partial file', async () => {
  await using sandbox = await openSandbox();
  const statusOf = async (type: string, body: string) =>
    (await sandbox.post('?path=/a', body, { 'Content-Type': type })).status;
  assert.equal(await statusOf('application/json', '{}'), 400);
  assert.equal(await statusOf('multipart/form-data', ''), 500);
  for (const body of ['garbage', '', CUT_OFF]) assert.equal(await statusOf(FORM, body), 500, body);
  assert.equal(await sandbox.read('/a'), 'partial');
});

test('a client that ends its side within the body is told 500', async () => {
  await using sandbox = await openSandbox();
  const { hostname, port } = new URL(sandbox.agent.url);
  const headers = { ...HEADERS, Host: hostname, 'Content-Length': '1000', 'Content-Type': FORM };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(port), hostname);
  socket.end(`POST /files?path=/cut HTTP/1.1\r\n${lines.join('')}\r\n${CUT_OFF}`);
  assert.match(await text(socket), /^HTTP\/1\.1 500 /);
  await sandbox.agent.close();
  assert.equal(await sandbox.read('/cut'), 'partial');
  assert.equal(sandbox.agent.requests[0]?.aborted, true);
});

test('a directory as target is answered 400, a file as its parent 500', async () => {
  await using sandbox = await openSandbox();
  await mkdir(join(sandbox.root, 'dir'));
  await writeFile(join(sandbox.root, 'file'), '');
  for (const path of ['/dir', '/dir/', '/', '', '.', '/home/user', '/new/'])
    assert.equal((await sandbox.put(path, 'x')).status, 400, path);
  for (const path of ['/file/a', '/file/a/b'])
    assert.equal((await sandbox.put(path, 'x')).status, 500, path);
});

test('a full disk is answered 507', { skip: unlessLinux('needs /dev/full') }, async () => {
  await using agent = await startAgent({ root: '/dev', token: TOKEN, sandboxId: SANDBOX_ID });
  const init = { method: 'POST', headers: HEADERS, body: form(['x']) };
  assert.equal((await fetch(`${agent.url}/files?path=/full`, init)).status, 507);
});

test('no .. leads out of the root, and a NUL is refused', async () => {
  await using sandbox = await openSandbox();
  const paths = ['/../evil', '../../../evil', '/a/../../evil', 'a/../../../../evil'];
  for (const path of paths) {
    assert.equal((await sandbox.put(path, path)).status, 200, path);
    assert.equal(await sandbox.read('/evil'), path);
    assert.equal((await sandbox.post('', form(['x'], [path]))).status, 200, path);
  }
  assert.equal((await sandbox.put('/a\0b', 'x')).status, 500);
  assert.deepEqual(await readdir(sandbox.outside), ['root']);
  assert.deepEqual(await readdir(sandbox.root), ['evil']);
});

test('only relative paths are answered without their dots', async () => {
  await using sandbox = await openSandbox();
  const answers = {
    '/a/./c': '/a/./c',
    'a/../b/./c/': '/home/user/b/c',
    '../../c': '/c',
    '~/d': '/home/user/d',
  };
  for (const [path, stored] of Object.entries(answers)) {
    const name = stored.slice(-1);
    const answer = await (await sandbox.put(path, path)).json();
    assert.deepEqual(answer, [{ name, path: stored, type: 'file' }]);
    assert.equal(await sandbox.read(stored), path);
  }
  assert.equal((await sandbox.put('~bob/a', 'x')).status, 400);
});

const REFUSED: Readonly<Record<string, readonly [headers: Record<string, string>, query: string]>> =
  {
    'two parts for one path': [{}, '?path=/a'],
    'two values of one parameter': [{}, '?path=/a&path=/b'],
    'an expiration that is no number': [{}, '?path=/a&signature_expiration=soon'],
    'metadata above 4 KiB': [{ 'X-Metadata-A': 'x'.repeat(5000) }, '?path=/a'],
    'metadata beyond ASCII': [{ 'X-Metadata-A': '\u00e4' }, '?path=/a'],
    'a compressed body': [{ 'Content-Encoding': 'br' }, '?path=/a'],
  };
for (const [name, [headers, query]] of Object.entries(REFUSED)) {
  test(`${name} is refused`, async () => {
    await using sandbox = await openSandbox();
    const parts = name.startsWith('two parts') ? ['one', 'two'] : ['one'];
    assert.equal((await sandbox.post(query, form(parts), headers)).status, 400);
  });
}

const skip = onWindows('whoever opens a link there opens what it leads to');
test('symlinks that leave the root are refused, and nothing is made behind them', {
  skip,
}, async () => {
  await using sandbox = await openSandbox();
  // Its name starts like the root's.
  const elsewhere = join(sandbox.outside, 'root-2');
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, 'secret'), 'kept');
  await symlink(elsewhere, join(sandbox.root, 'dir'));
  await symlink(join(elsewhere, 'secret'), join(sandbox.root, 'file'));
  await symlink(join(sandbox.outside, 'new'), join(sandbox.root, 'nowhere'));
  for (const path of ['/dir/a', '/dir/new/deep/a', '/file'])
    assert.equal((await sandbox.put(path, 'x')).status, 400, path);
  for (const path of ['/nowhere', '/nowhere/a'])
    assert.ok((await sandbox.put(path, 'x')).status >= 400, path);
  assert.deepEqual(await readdir(sandbox.outside), ['root', 'root-2']);
  assert.deepEqual(await readdir(elsewhere), ['secret']);
  assert.equal(await readFile(join(elsewhere, 'secret'), 'utf8'), 'kept');
});

test('symlinks inside the root are followed', async () => {
  await using sandbox = await openSandbox();
  await sandbox.put('/real/file', 'old');
  await symlink('real', join(sandbox.root, 'dir'));
  await symlink('real/file', join(sandbox.root, 'link'));
  assert.equal((await sandbox.put('/dir/new', 'x')).status, 200);
  assert.equal(await sandbox.read('/real/new'), 'x');
  assert.equal((await sandbox.put('/link', 'new')).status, 200);
  assert.equal(await sandbox.read('/real/file'), 'new');
});
