import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Answer } from '../../src/agent/answer.ts';
import type { AgentRequest, Client } from '../../src/agent/client.ts';
import { AgentError } from '../../src/agent/failure.ts';
import { SMALL_BYTES } from '../../src/transfer/batches.ts';
import {
  createStoreFiles,
  storedPaths,
  type UploadInputs,
} from '../../src/transfer/store-files.ts';
import { collect, openFolder, openIn, pattern } from './folder.ts';

const INPUTS: UploadInputs = {
  uploadPath: '/files',
  username: '',
  signature: '',
  signatureExpiration: '',
};

function answer(body: unknown): Answer {
  const label = 'POST https://host/files';
  return { label, status: 200, retryAfter: undefined, text: JSON.stringify(body) };
}

function entry(path: string, name = path.replace(/.*\//, ''), type = 'file') {
  return { path, name, type };
}

/** A client that answers requests with the paths of stored files, or fails. */
function answering(paths: readonly string[], failure?: AgentError) {
  const requests: (AgentRequest & { readonly bytes: number })[] = [];
  const client: Client = {
    async send(request) {
      requests.push({ ...request, bytes: collect(request.body ?? []).length });
      if (failure !== undefined) throw failure;
      return answer(paths.map(path => entry(path)));
    },
  };
  return { client, requests };
}

const ignore = () => {};

describe('a request', () => {
  test('names the target of a single file, and its length', async () => {
    using folder = openFolder();
    const { client, requests } = answering(['/h/a b/ü']);
    const inputs = { ...INPUTS, signature: 'x+y', signatureExpiration: '9' };
    await createStoreFiles(client, inputs, false)([folder.plan('a b/ü', 'content')], ignore);
    const [{ path, headers, bytes } = assert.fail('nothing was sent')] = requests;
    assert.equal(path, '/files?path=a%20b%2F%C3%BC&signature=x%2By&signature_expiration=9');
    assert.equal(headers?.['Content-Length'], String(bytes));
  });

  test('of a batch names no target, and allows an answer for each file', async () => {
    using folder = openFolder();
    const { client, requests } = answering(['/h/a', '/h/b']);
    const files = [folder.plan('a', '1'), folder.plan('b', '2')];
    await createStoreFiles(client, { ...INPUTS, username: 'a b' }, false)(files, ignore);
    const [request] = requests;
    assert.deepEqual(
      [request?.path, request?.maxAnswerBytes],
      ['/files?username=a%20b', 129 * 1024],
    );
  });

  test('is not made for files of which none can be read', async () => {
    using folder = openFolder();
    const { client, requests } = answering([]);
    const files = [folder.plan('a', '1'), folder.plan('b', '2')];
    for (const { realPath } of files) rmSync(realPath);
    const stored = await createStoreFiles(client, INPUTS, false)(files, ignore);
    assert.deepEqual([...stored.keys()], files);
    await assert.rejects(createStoreFiles(client, INPUTS, false)(files.slice(1), ignore), {
      kind: 'file-changed',
    });
    assert.equal(requests.length, 0);
  });
});

for (const size of [0, 5, SMALL_BYTES, SMALL_BYTES + 1, 5 * SMALL_BYTES + 3])
  test(`a stored file of ${size} bytes has its hash, if that is asked for`, async () => {
    using folder = openFolder();
    const content = pattern(size);
    const file = folder.plan('name', content);
    const { client } = answering(['/h/name']);
    const sha256 = createHash('sha256').update(content).digest('hex');
    for (const [isHashed, hashed] of [
      [true, { sha256 }],
      [false, {}],
    ] as const) {
      const stored = await createStoreFiles(client, INPUTS, isHashed)([file], ignore);
      assert.deepEqual(stored.get(file), { path: '/h/name', size, ...hashed });
    }
    assert.equal(openIn(folder.path), 0);
  });

test('a file of a batch that cannot be read has an error, the others what was answered', async () => {
  using folder = openFolder();
  const [one, gone, three] = ['one', 'gone', 'three'].map(name => folder.plan(name, name));
  assert.ok(one && gone && three);
  rmSync(gone.realPath);
  const { client } = answering(['/h/one', '/h/three']);
  const stored = await createStoreFiles(client, INPUTS, false)([one, gone, three], ignore);
  assert.deepEqual(stored.get(one), { path: '/h/one', size: 3 });
  assert.deepEqual(stored.get(three), { path: '/h/three', size: 5 });
  assert.ok(stored.get(gone) instanceof AgentError);
});

test('a large file is let go of if its request fails', async () => {
  using folder = openFolder();
  const file = folder.plan('a', pattern(SMALL_BYTES + 1));
  const { client } = answering([], new AgentError('connection', 'It broke.'));
  await assert.rejects(createStoreFiles(client, INPUTS, false)([file], ignore), {
    kind: 'connection',
  });
  assert.equal(openIn(folder.path), 0);
});

type Case = readonly [target: string, body: unknown, says: RegExp];

const NOT_STORED: Readonly<Record<string, Case>> = {
  'by no entry': ['a/b', [], /it lists 0 files instead of 1\.$/],
  'by two entries for one file': [
    'a',
    [entry('/h/a'), entry('/h/b')],
    /lists 2 files instead of 1/,
  ],
  'by the entry of another': ['a/b', [entry('/h/a/c')], /names another file/],
  'by an entry that names another': ['a/b', [entry('/h/a/b', 'c')], /names another file/],
  'by a directory': ['a/b', [entry('/h/a/b', 'b', 'directory')], /not of type "file"/],
  'by an entry without a path': ['a/b', [{ name: 'b', type: 'file' }], /has no path/],
  'by an entry with an empty path': ['a/b', [entry('', 'b')], /has no path/],
  'by null': ['a/b', [null], /not of type "file"/],
  'by an entry in another folder': ['a/b', [entry('/h/b')], /that of another target/],
  'by an entry in a folder that ends alike': ['a/b', [entry('/h/ca/b')], /that of another target/],
  'by an absolute target below a folder': ['/a/b', [entry('/h/a/b')], /that of another target/],
  'by an endless path': ['b', [entry(`/${'x'.repeat(5000)}/b`)], /has no path/],
};

describe('a file is not acknowledged', () => {
  for (const [name, [target, body, message]] of Object.entries(NOT_STORED))
    test(name, () => {
      const error = { kind: 'bad-answer', isRetryable: false, message };
      assert.throws(() => storedPaths(answer(body), [target]), error);
    });

  test('if one of several lies elsewhere, perhaps in the place of another', () => {
    const body = answer([entry('/h/x'), entry('/h/x')]);
    assert.throws(() => storedPaths(body, ['x', 'a/x']), { kind: 'bad-answer' });
  });

  test('by an answer that is not JSON', () => {
    assert.throws(() => storedPaths({ ...answer(0), text: '<html>' }, ['a']), {
      kind: 'bad-answer',
    });
  });
});

const STORED: Readonly<Record<string, readonly [target: string, path: string]>> = {
  'at an absolute target': ['/srv/a/b', '/srv/a/b'],
  'below the home directory': ['a/b', '/home/user/a/b'],
  'at a relative path, as some services return it': ['a/b', 'a/b'],
};

describe('files are acknowledged', () => {
  for (const [name, [target, path]] of Object.entries(STORED))
    test(name, () => assert.deepEqual(storedPaths(answer([entry(path)]), [target]), [path]));

  test('each by its own entry, in order', () => {
    const body = answer([entry('/h/a/x'), entry('/h/b/x')]);
    assert.deepEqual(storedPaths(body, ['a/x', 'b/x']), ['/h/a/x', '/h/b/x']);
  });

  test('one by an object instead of a list', () => {
    assert.deepEqual(storedPaths(answer(entry('/h/a/b')), ['a/b']), ['/h/a/b']);
  });
});
