import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, statSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { FailureKind } from '../../src/agent/failure.ts';
import { downloadFile } from '../../src/download/download-file.ts';
import { LIMITS, openTestClient } from '../support/open-client.ts';
import { http, onRequest, type RequestHandler, rawServer } from '../support/raw-server.ts';
import { filesBelow, SKIP_WITHOUT_SYMLINKS } from '../support/system.ts';
import { distinctBytes, openTempFolder } from '../support/temp-folder.ts';

/** Downloads a file into a folder from a server with this handler. */
async function downloadTo(
  folder: string,
  handle: RequestHandler,
  {
    path: source = 'a.txt',
    target = 'out',
    username = '',
    maxSize = 2 ** 30,
    timeout = 60_000,
    signal = LIMITS.signal,
  } = {},
) {
  await using server = await rawServer(onRequest(handle));
  await using client = openTestClient(`http://${server.host}`);
  const file = { path: source, target, realTarget: path.join(folder, target) };
  return await downloadFile(file, { username, maxSize, timeout }, client, signal);
}

const respond =
  (bytes: string | Buffer): RequestHandler =>
  socket =>
    void socket.write(bytes);

const OK = 'HTTP/1.1 200 OK\r\n';
const LENGTH = 'Content-Length: 5\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n';

test('a downloaded file of any size arrives with its size and SHA-256', async () => {
  for (const size of [0, 1, 70_000, 3 * 1024 * 1024]) {
    using folder = openTempFolder();
    const content = distinctBytes(size);
    const head = `${OK}Content-Length: ${size}\r\n\r\n`;
    const whole = Buffer.concat([Buffer.from(head), content]);
    const downloaded = await downloadTo(folder.path, respond(whole));
    const sha256 = createHash('sha256').update(content).digest('hex');
    assert.deepEqual(downloaded, { size, sha256 });
    assert.deepEqual(filesBelow(folder.path), { out: content });
  }
});

test('a downloaded file replaces an older one, makes missing folders, and is not executable', async () => {
  using folder = openTempFolder();
  writeFileSync(folder.at('out'), 'a longer text from before', { mode: 0o755 });
  await downloadTo(folder.path, respond(http(200, 'new')));
  await downloadTo(folder.path, respond(http(200, 'deep')), { target: 'a/b/c' });
  const expected = { out: Buffer.from('new'), 'a/b/c': Buffer.from('deep') };
  assert.deepEqual(filesBelow(folder.path), expected);
  for (const file of Object.keys(expected))
    assert.equal(statSync(folder.at(file)).mode & 0o111, 0, file);
});

test('a file may be exactly as large as max-size, and have the longest name', async () => {
  using folder = openTempFolder();
  const target = 'n'.repeat(255);
  const { size } = await downloadTo(folder.path, respond(http(200, 'hello')), {
    target,
    maxSize: 5,
  });
  assert.equal(size, 5);
  assert.deepEqual(Object.keys(filesBelow(folder.path)), [target]);
});

test('a download requests its path and username, encoded, and no copy from a cache', async () => {
  using folder = openTempFolder();
  const requests: string[] = [];
  const record: RequestHandler = (socket, { head }) => {
    requests.push(head);
    socket.write(http(200));
  };
  await downloadTo(folder.path, record, { path: '~/a b/ü&%+#?', username: 'a&b' });
  await downloadTo(folder.path, record);
  const lines = requests.map(head => head.split('\r\n')[0]);
  assert.deepEqual(lines, [
    'GET /files?path=~%2Fa%20b%2F%C3%BC%26%25%2B%23%3F&username=a%26b HTTP/1.1',
    'GET /files?path=a.txt HTTP/1.1',
  ]);
  assert.doesNotMatch(requests.join(), /accept-encoding/i);
  for (const head of requests) assert.match(head, /^cache-control: no-cache\r$/im);
});

type Case = readonly [handle: RequestHandler, kind: FailureKind, message: RegExp, timeout?: number];

const MISSING = `{"code":404,"message":"path '/home/user/a.txt' does not exist"}`;

const NO_LENGTH = /sent no Content-Length\.$/;
const CUT = /failed: /;
const LATE = /did not end within timeout/;
const cut: RequestHandler = socket => void socket.end(`${OK}${LENGTH}\r\nhell`);
const gzip = http(200, 'hello', ['Content-Encoding: gzip']);

const FAILURES: Readonly<Record<string, Case>> = {
  chunked: [respond(`${OK}${CHUNKED}`), 'bad-response', NO_LENGTH],
  'a length without content': [
    respond(`HTTP/1.1 204 None\r\n${LENGTH}\r\n`),
    'connection',
    /files (sent 0 of 5 bytes|failed: )/,
  ],
  'gzip that nobody asked for': [respond(gzip), 'bad-response', /sent an encoded response\.$/],
  'longer than max-size': [respond(http(200, 'x'.repeat(101))), 'too-large', /would send 101 B\.$/],
  'two lengths': [respond(`${OK}${LENGTH}Content-Length: 3\r\n\r\nhello`), 'connection', CUT],
  'cut before the last byte': [cut, 'connection', CUT],
  'reset before the last byte': [
    socket => void socket.write(`${OK}${LENGTH}\r\nhell`, () => socket.resetAndDestroy()),
    'connection',
    CUT,
  ],
  'stalling in its content': [respond(`${OK}${LENGTH}\r\nhel`), 'connection', LATE, 50],
  '404, since the file does not exist': [
    respond(http(404, MISSING)),
    'no-such-file',
    /It said: "path '\/home\/user\/a\.txt' does not exist"\.$/,
  ],
};

for (const [name, [handle, kind, message, timeout = 60_000]] of Object.entries(FAILURES))
  test(`a target stays as it was if its response is unusable [${name}]`, async () => {
    using folder = openTempFolder();
    writeFileSync(folder.at('out'), 'before');
    const downloading = downloadTo(folder.path, handle, { maxSize: 100, timeout });
    await assert.rejects(downloading, { kind, message });
    assert.deepEqual(filesBelow(folder.path), { out: Buffer.from('before') });
  });

test('a download that is cancelled half-way leaves its target as it was, and no part', async () => {
  using folder = openTempFolder();
  writeFileSync(folder.at('out'), 'before');
  const controller = new AbortController();
  const partOf = () => readdirSync(folder.path).find(name => name.endsWith('.part'));
  let part: string | undefined;
  const handle: RequestHandler = socket => {
    const watcher = watch(folder.path, () => {
      part ??= partOf();
      if (part !== undefined) controller.abort();
    });
    socket.on('close', () => watcher.close());
    socket.write(`${OK}${LENGTH}\r\nhel`);
  };
  const downloading = downloadTo(folder.path, handle, { signal: controller.signal });
  await assert.rejects(downloading, { kind: 'cancelled' });
  assert.notEqual(part, undefined);
  assert.deepEqual(filesBelow(folder.path), { out: Buffer.from('before') });
});

test('a rejected response frees its connection, although more of it would come', async () => {
  using folder = openTempFolder();
  const closed = Promise.withResolvers<void>();
  const endless: RequestHandler = socket => {
    socket.on('close', () => closed.resolve());
    socket.write(`${OK}Content-Length: 999999\r\n\r\nhello`);
  };
  await using server = await rawServer(onRequest(endless));
  await using client = openTestClient(`http://${server.host}`);
  const file = { path: 'a', target: 'out', realTarget: folder.at('out') };
  const inputs = { username: '', maxSize: 10, timeout: LIMITS.timeout };
  const downloading = downloadFile(file, inputs, client, LIMITS.signal);
  await assert.rejects(downloading, { kind: 'too-large' });
  await closed.promise;
});

const refused = async (folder: string, target: string, message: RegExp) => {
  let requests = 0;
  const count: RequestHandler = socket => {
    requests += 1;
    socket.write(http(200, 'new'));
  };
  const downloading = downloadTo(folder, count, { target });
  await assert.rejects(downloading, { kind: 'not-written', message });
  return requests;
};

test('a target that is a folder fails with the code of the system', async () => {
  using folder = openTempFolder();
  mkdirSync(folder.at('out'));
  await refused(folder.path, 'out', /^out cannot be written \((EISDIR|EPERM)\)\.$/);
  assert.deepEqual(readdirSync(folder.path), ['out']);
});

const links = { skip: SKIP_WITHOUT_SYMLINKS };
test('nothing is requested for a target that is a link, or below one', links, async () => {
  using folder = openTempFolder();
  using outside = openTempFolder();
  symlinkSync(outside.at('none'), folder.at('broken'));
  symlinkSync(outside.path, folder.at('outside'));
  mkdirSync(folder.at('real'));
  symlinkSync('real', folder.at('inside'));
  for (const target of ['broken', 'outside', 'outside/file', 'outside/a/b', 'inside/a'])
    assert.equal(await refused(folder.path, target, / is a link, or below one\.$/), 0);
  assert.deepEqual(filesBelow(outside.path), {});
  const names = ['broken', 'inside', 'outside', 'real'];
  assert.deepEqual(readdirSync(folder.path).sort(), names);
});

test('a target below a file fails with the code of the system', async () => {
  using folder = openTempFolder();
  writeFileSync(folder.at('file'), 'before');
  await refused(folder.path, 'file/a', /^file\/a cannot be written \((ENOTDIR|EEXIST)\)\.$/);
  assert.deepEqual(filesBelow(folder.path), { file: Buffer.from('before') });
});
