import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import { test } from 'node:test';
import { listenHere } from '../../dev/agent/service.ts';
import type { AgentRequest, Client } from '../../src/agent/client.ts';
import type { PlannedFile } from '../../src/files/targets.ts';
import type { RawInputs } from '../../src/inputs/parsers.ts';
import { fileRow, storeFiles } from '../../src/upload/upload-files.ts';
import { LIMITS, openTestClient, trustCertificate } from '../support/open-client.ts';
import { parseSyncInputs } from '../support/parse-inputs.ts';
import { http as httpResponse, onRequest, rawServer } from '../support/raw-server.ts';
import { concatCopies, openTempFolder } from '../support/temp-folder.ts';
import { createCertificate, hasOpenssl } from '../support/tls-certificate.ts';

function entry(path: string, name = path.replace(/.*\//, ''), type = 'file') {
  return { path, name, type };
}

/** Creates a client that records requests, and answers each with this body. */
function answering(body: unknown) {
  const requests: (AgentRequest & { readonly bytes: number })[] = [];
  const client: Pick<Client, 'send' | 'redact'> = {
    redact: text => text.replaceAll('sec/ret', '***'),
    async send(request) {
      requests.push({ ...request, bytes: concatCopies(request.body ?? []).length });
      return {
        label: 'POST https://host/files',
        status: 200,
        headers: {},
        body: JSON.stringify(body),
      };
    },
  };
  return { client, requests };
}

/** Stores files with one request. */
function store(
  client: Pick<Client, 'send' | 'redact'>,
  files: readonly PlannedFile[],
  given: RawInputs = {},
) {
  return storeFiles(files, parseSyncInputs(given), client, LIMITS.signal, () => {});
}

test('each file of a batch has its path, and its SHA-256 with checksums or a state file', async () => {
  using folder = openTempFolder();
  const { client, requests } = answering([entry('/h/one'), entry('/h/two')]);
  const files = ['one', 'two'].map(name => folder.writePlanned(name, name));
  const hashed = files.map(file => {
    const sha256 = hash('sha256', file.target);
    return { ...fileRow(file), status: 'uploaded', path: `/h/${file.target}`, sha256 };
  });
  assert.deepEqual(await store(client, files, { checksums: 'true' }), hashed);
  assert.deepEqual(await store(client, files, { 'state-file': 'state.json' }), hashed);
  const unhashed = hashed.map(stored => ({ ...stored, sha256: undefined }));
  assert.deepEqual(await store(client, files, { username: 'a b' }), unhashed);
  const { path } = requests[2] ?? {};
  assert.equal(path, '/files?username=a%20b', 'the query of a batch has no target');
});

for (const scheme of ['http', 'https'])
  test(`a file arrives byte for byte where it is read slowly, although its buffer is used again [${scheme}]`, {
    skip: !hasOpenssl && 'needs openssl',
  }, async () => {
    using folder = openTempFolder();
    using keys = createCertificate();
    trustCertificate(keys);
    const received: Buffer[] = [];
    const readSlowly: RequestListener = (request, response) => {
      request.on('data', (chunk: Buffer) => {
        received.push(chunk);
        // Meanwhile, the client fills all buffers on the way.
        request.pause();
        setImmediate(() => request.resume());
      });
      request.on('end', () => response.end(JSON.stringify(entry('/h/a'))));
    };
    const { key, cert } = keys;
    const server =
      scheme === 'http'
        ? http.createServer(readSlowly)
        : https.createServer({ key, cert }, readSlowly);
    const port = await listenHere(server);
    await using client = openTestClient(`${scheme}://127.0.0.1:${port}`);
    const content = randomBytes(8 * 1024 * 1024);
    await store(client, [folder.writePlanned('a', content)]);
    server.close();
    assert.ok(Buffer.concat(received).includes(content));
  });

test('an upload that fails gets a hint about upload-path or concurrency, and none about stats', async () => {
  using folder = openTempFolder();
  for (const [status, hint] of [
    [404, /^(?!.*stats-path).*upload-path/],
    [400, /the target/],
    [503, /concurrency/],
  ] as const) {
    await using server = await rawServer(onRequest(socket => socket.end(httpResponse(status))));
    await using client = openTestClient(`http://${server.host}`);
    await assert.rejects(store(client, [folder.writePlanned('a', '1')]), { status, hint });
  }
});

test('a stored path is redacted, even if the secret ends within the target', async () => {
  using folder = openTempFolder();
  const file = folder.writePlanned('ret/name', '1');
  const stored = await store(answering([entry('/home/sec/ret/name')]).client, [file]);
  const row = { ...fileRow(file), status: 'uploaded', path: '/home/***/name', sha256: undefined };
  assert.deepEqual(stored, [row]);
});

type Case = readonly [target: string, body: unknown, says: RegExp];

const NOT_STORED: Readonly<Record<string, Case>> = {
  'no entry': ['a/b', [], /it lists 0 files instead of 1\.$/],
  'two entries for one file': ['a', [entry('/h/a'), entry('/h/b')], /2 files instead of 1/],
  'an entry with another name': ['a/b', [entry('/h/a/b', 'c')], /names another file/],
  'an entry of a directory': ['a/b', [entry('/h/a/b', 'b', 'directory')], /not of type "file"/],
  'an entry without a path': ['a/b', [{ name: 'b', type: 'file' }], /has no path/],
  'null as an entry': ['a/b', [null], /not of type "file"/],
  'a path in a folder whose name ends alike': ['a/b', [entry('/h/ca/b')], /another target/],
  'an absolute target below a folder': ['/a/b', [entry('/h/a/b')], /that of another target/],
  'a path longer than PATH_MAX': ['b', [entry(`/${'x'.repeat(5000)}/b`)], /has no path/],
};

for (const [name, [target, body, message]] of Object.entries(NOT_STORED))
  test(`no file counts as stored unless the response names each in full [${name}]`, async () => {
    using folder = openTempFolder();
    const { client } = answering(body);
    const storing = store(client, [folder.writePlanned(target, '')]);
    await assert.rejects(storing, { kind: 'bad-response', isRetryable: false, message });
  });

test('a file counts as stored if the response names it, even without a list or an absolute path', async () => {
  using folder = openTempFolder();
  for (const [target, path] of [
    ['/srv/a/b', '/srv/a/b'],
    ['a/b', 'a/b'],
    ['a/b', '/h/a/b'],
  ] as const) {
    const { client } = answering(entry(path));
    const [stored] = await store(client, [folder.writePlanned(target, '')]);
    assert.equal(stored?.path, path);
  }
});
