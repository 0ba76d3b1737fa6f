import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { FailureKind } from '../../src/agent/failure.ts';
import { downloadFile } from '../../src/download/download.ts';
import { LIMITS, openTestClient } from '../support/open-client.ts';
import { http, onRequest, type RequestHandler, rawServer } from '../support/raw-server.ts';
import { filesBelow, SKIP_WITHOUT_SYMLINKS } from '../support/system.ts';
import { distinctBytes, openTempFolder } from '../support/temp-folder.ts';

const DEFAULTS = { path: 'a.txt', target: 'out', username: '', maxSize: 2 ** 30, ...LIMITS };

/** Downloads a file into a folder from a server with this handler. */
async function downloadTo(folder: string, handle: RequestHandler, changes: Changes = {}) {
  await using server = await rawServer(onRequest(handle));
  await using client = openTestClient(`http://${server.host}`);
  const { path: source, target, signal, ...inputs } = { ...DEFAULTS, ...changes };
  const file = { path: source, target, realTarget: path.join(folder, target) };
  return await downloadFile(file, inputs, client, signal);
}

const respond =
  (bytes: string | Buffer): RequestHandler =>
  socket =>
    void socket.write(bytes);

const OK = 'HTTP/1.1 200 OK\r\n';
const LENGTH = 'Content-Length: 5\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n';

test('a downloaded file of any size arrives whole', async () => {
  using folder = openTempFolder();
  for (const size of [0, 1, 3 * 1024 * 1024]) {
    const content = distinctBytes(size);
    const head = Buffer.from(`${OK}Content-Length: ${size}\r\n\r\n`);
    const downloaded = await downloadTo(folder.path, respond(Buffer.concat([head, content])));
    assert.deepEqual(downloaded, { path: 'a.txt', target: 'out', status: 'downloaded', size });
    assert.deepEqual(filesBelow(folder.path), { out: content });
  }
});

test('a downloaded file replaces an older one, and is not executable', async () => {
  using folder = openTempFolder();
  writeFileSync(folder.at('out'), 'a longer text from before', { mode: 0o755 });
  await downloadTo(folder.path, respond(http(200, 'new')));
  assert.deepEqual(filesBelow(folder.path), { out: Buffer.from('new') });
  assert.equal(statSync(folder.at('out')).mode & 0o111, 0);
});

test('a file may be as large as max-size, and have the longest name in a folder that is missing', async () => {
  using folder = openTempFolder();
  const target = `a/b/${'n'.repeat(255)}`;
  await downloadTo(folder.path, respond(http(200, 'hello')), { target, maxSize: 5 });
  assert.deepEqual(filesBelow(folder.path), { [target]: Buffer.from('hello') });
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

type Changes = Partial<typeof DEFAULTS>;
type Case = readonly [handle: RequestHandler, kind: FailureKind, message: RegExp, Changes?];

const cut: RequestHandler = socket => void socket.end(`${OK}${LENGTH}\r\nhell`);
const gzip = http(200, 'hello', ['Content-Encoding: gzip']);

const controller = new AbortController();
const cancel: RequestHandler = socket =>
  void socket.write(`${OK}${LENGTH}\r\nhel`, () => controller.abort());
const notAFolder = /^out\/a cannot be written \((ENOTDIR|EEXIST)\)\.$/;

const FAILURES: Readonly<Record<string, Case>> = {
  chunked: [respond(`${OK}${CHUNKED}`), 'bad-response', /sent no Content-Length\.$/],
  'a length without content': [
    respond(`HTTP/1.1 204 None\r\n${LENGTH}\r\n`),
    'connection',
    /files (sent 0 of 5 bytes|failed: )/,
  ],
  'gzip that nobody asked for': [respond(gzip), 'bad-response', /sent an encoded response\.$/],
  'longer than max-size': [respond(http(200, 'x'.repeat(101))), 'too-large', /would send 101 B\.$/],
  'cut before the last byte': [cut, 'connection', /failed: /],
  stalling: [respond(`${OK}${LENGTH}\r\nhel`), 'connection', /within timeout/, { timeout: 50 }],
  'cancelled in its content': [cancel, 'cancelled', /cancelled/, { signal: controller.signal }],
  'a target below a file': [respond(http(200)), 'not-written', notAFolder, { target: 'out/a' }],
  'no file (404)': [
    respond(http(404, `{"message":"path '/a.txt' does not exist"}`)),
    'no-such-file',
    /answered 404/,
  ],
};

for (const [name, [handle, kind, message, changes]] of Object.entries(FAILURES))
  test(`a folder stays as it was if a download fails [${name}]`, async () => {
    using folder = openTempFolder();
    writeFileSync(folder.at('out'), 'before');
    const downloading = downloadTo(folder.path, handle, { maxSize: 100, ...changes });
    await assert.rejects(downloading, { kind, message });
    assert.deepEqual(filesBelow(folder.path), { out: Buffer.from('before') });
  });

const noRequest: RequestHandler = () => assert.fail('the file was requested');

test('a target that is a folder fails with the code of the system', async () => {
  using folder = openTempFolder();
  mkdirSync(folder.at('out'));
  const message = /^out cannot be written \((EISDIR|EPERM)\)\.$/;
  await assert.rejects(downloadTo(folder.path, respond(http(200))), {
    kind: 'not-written',
    message,
  });
  assert.deepEqual(readdirSync(folder.path), ['out']);
});

const links = { skip: SKIP_WITHOUT_SYMLINKS };
test('nothing is requested for a target that is a link, or below one', links, async () => {
  using folder = openTempFolder();
  using outside = openTempFolder();
  symlinkSync(outside.at('none'), folder.at('broken'));
  symlinkSync(outside.path, folder.at('outside'));
  symlinkSync('.', folder.at('inside'));
  for (const target of ['broken', 'outside', 'outside/a/b', 'inside/a']) {
    const message = `The target ${target} is a link, or below one.`;
    const downloading = downloadTo(folder.path, noRequest, { target });
    await assert.rejects(downloading, { kind: 'not-written', message });
  }
});
