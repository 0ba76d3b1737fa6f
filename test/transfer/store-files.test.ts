import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import type { Answer } from '../../src/agent/answer.ts';
import type { AgentRequest, Client } from '../../src/agent/client.ts';
import type { PlannedFile } from '../../src/files/plan.ts';
import type { RawInputs } from '../../src/inputs/parsers.ts';
import { batchesOf } from '../../src/transfer/multipart.ts';
import { storedPaths, storeFiles } from '../../src/transfer/store-files.ts';
import { openTestClient } from '../agent/open-client.ts';
import { parsed } from '../inputs/parse-inputs.ts';
import { http, onRequest, rawServer } from '../raw-server.ts';
import { concatCopies, openTempFolder } from './temp-folder.ts';

function answer(body: unknown): Answer {
  const label = 'POST https://host/files';
  return { label, status: 200, headers: {}, text: JSON.stringify(body) };
}

function entry(path: string, name = path.replace(/.*\//, ''), type = 'file') {
  return { path, name, type };
}

/** Creates a client that records requests, and acknowledges each with these paths. */
function answering(paths: readonly string[]) {
  const requests: (AgentRequest & { readonly bytes: number })[] = [];
  const client: Omit<Client, 'receive'> = {
    redact: text => text.replaceAll('sec/ret', '***'),
    async send(request) {
      requests.push({ ...request, bytes: concatCopies(request.body ?? []).length });
      return answer(paths.map(path => entry(path)));
    },
  };
  return { client, requests };
}

/** Stores files with one request. */
function store(
  client: Omit<Client, 'receive'>,
  files: readonly PlannedFile[],
  given: RawInputs = {},
) {
  const [batch = assert.fail('there are no files')] = batchesOf(files, files.length);
  return storeFiles(batch, parsed(given), client, () => {});
}

test('the request of a single file has its target in the query, and a Content-Length', async () => {
  using folder = openTempFolder();
  const { client, requests } = answering(['/h/a b/ü']);
  const given = { signature: 'x+y', 'signature-expiration': '9' };
  await store(client, [folder.writePlanned('a b/ü', 'content')], given);
  const [{ path, headers, bytes } = assert.fail('nothing was sent')] = requests;
  assert.equal(path, '/files?path=a%20b%2F%C3%BC&signature=x%2By&signature_expiration=9');
  assert.equal(headers?.['Content-Length'], String(bytes));
});

test('the request of a batch has no target in the query, and allows 8 KiB of answer per file', async () => {
  using folder = openTempFolder();
  const { client, requests } = answering(['/h/a', '/h/b']);
  const files = [folder.writePlanned('a', '1'), folder.writePlanned('b', '2')];
  await store(client, files, { username: 'a b' });
  const [request] = requests;
  assert.deepEqual(
    [request?.path, request?.maxAnswerBytes],
    ['/files?username=a%20b', (128 + 2 * 8) * 1024],
  );
});

test('a request fails if a file of its batch cannot be read', async () => {
  using folder = openTempFolder();
  const { client, requests } = answering([]);
  const files = [folder.writePlanned('a', '1'), folder.writePlanned('b', '2')];
  rmSync(folder.at('2'));
  for (const batch of [files, files.slice(1)])
    await assert.rejects(store(client, batch), { kind: 'file-changed', message: /ENOENT/ });
  assert.equal(requests.length, 0);
});

test('each stored file has its path, and its SHA-256 with checksums or a state file', async () => {
  using folder = openTempFolder();
  const { client } = answering(['/h/one', '/h/three']);
  const files = ['one', 'three'].map(name => folder.writePlanned(name, name));
  for (const given of [{ checksums: 'true' }, { 'state-file': 'state.json' }, {}]) {
    const isHashed = Object.keys(given).length > 0;
    const expected = files.map(file => {
      const sha256 = isHashed ? hash('sha256', file.target) : undefined;
      return { file, path: `/h/${file.target}`, sha256 };
    });
    assert.deepEqual(await store(client, files, given), expected);
  }
});

test('an upload that fails gets a hint about upload-path or concurrency, and none about stats', async () => {
  using folder = openTempFolder();
  for (const [status, hint] of [
    [404, /^(?!.*stats-path).*upload-path/],
    [400, /the target/],
    [503, /concurrency/],
  ] as const) {
    await using server = await rawServer(onRequest(socket => socket.end(http(status))));
    await using client = openTestClient(`http://${server.host}`);
    await assert.rejects(store(client, [folder.writePlanned('a', '1')]), { status, hint });
  }
});

test('a stored path is redacted, even if the secret ends within the target', async () => {
  using folder = openTempFolder();
  const file = folder.writePlanned('ret/name', '1');
  const stored = await store(answering(['/home/sec/ret/name']).client, [file]);
  assert.deepEqual(stored, [{ file, path: '/home/***/name', sha256: undefined }]);
});

type Case = readonly [targets: readonly string[], body: unknown, says: RegExp];

const NOT_STORED: Readonly<Record<string, Case>> = {
  'no entry': [['a/b'], [], /it lists 0 files instead of 1\.$/],
  'two entries for one file': [['a'], [entry('/h/a'), entry('/h/b')], /2 files instead of 1/],
  'the entry of another file': [['a/b'], [entry('/h/a/c')], /names another file/],
  'an entry with another name': [['a/b'], [entry('/h/a/b', 'c')], /names another file/],
  'an entry of a directory': [['a/b'], [entry('/h/a/b', 'b', 'directory')], /not of type "file"/],
  'an entry without a path': [['a/b'], [{ name: 'b', type: 'file' }], /has no path/],
  'an entry with an empty path': [['a/b'], [entry('', 'b')], /has no path/],
  'null as an entry': [['a/b'], [null], /not of type "file"/],
  'a path in another folder': [['a/b'], [entry('/h/b')], /that of another target/],
  'a path in a folder whose name ends alike': [['a/b'], [entry('/h/ca/b')], /another target/],
  'a path that has the absolute target below a folder': [
    ['/a/b'],
    [entry('/h/a/b')],
    /that of another target/,
  ],
  'a path longer than PATH_MAX': [['b'], [entry(`/${'x'.repeat(5000)}/b`)], /has no path/],
  'one path for two files': [['x', 'a/x'], [entry('/h/x'), entry('/h/x')], /another target/],
};

for (const [name, [targets, body, message]] of Object.entries(NOT_STORED))
  test(`no file counts as stored if the answer has ${name}`, () => {
    const error = { kind: 'bad-answer', isRetryable: false, message };
    assert.throws(() => storedPaths(answer(body), targets), error);
  });

test('no file counts as stored if the answer is not JSON', () => {
  const html = { ...answer(0), text: '<html>' };
  assert.throws(() => storedPaths(html, ['a']), { kind: 'bad-answer', message: /not JSON/ });
});

const STORED: Readonly<Record<string, readonly [target: string, path: string, body?: unknown]>> = {
  'at an absolute target': ['/srv/a/b', '/srv/a/b'],
  'below the home directory': ['a/b', '/home/user/a/b'],
  'at a relative path, as some services return it': ['a/b', 'a/b'],
  'if an object instead of a list names it': ['a/b', '/h/a/b', entry('/h/a/b')],
};

for (const [name, [target, path, body = [entry(path)]]] of Object.entries(STORED))
  test(`a file counts as stored ${name}`, () =>
    assert.deepEqual(storedPaths(answer(body), [target]), [path]));
