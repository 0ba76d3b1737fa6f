import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Answer } from '../../src/agent/answer.ts';
import type { AgentRequest, Client } from '../../src/agent/client.ts';
import { AgentError } from '../../src/agent/failure.ts';
import { SMALL_BYTES } from '../../src/agent/read-file.ts';
import { storedPaths, type UploadInputs, uploader } from '../../src/agent/upload.ts';
import { redactor } from '../../src/text/redact.ts';
import { fileOf, found, LARGE, openIn, pattern } from './bodies.ts';

const INPUTS: UploadInputs = {
  uploadPath: '/files',
  username: '',
  signature: '',
  signatureExpiration: '',
};

/** A client that answers requests with the paths of stored files. */
function answering(
  paths: readonly string[],
  onRequest: (request: AgentRequest) => Promise<void> | void,
) {
  const calls = { reconnect: 0 };
  const entries = paths.map(path => ({ path, name: path.replace(/.*\//, ''), type: 'file' }));
  const client: Client = {
    async send(request) {
      await onRequest(request);
      return answer(entries);
    },
    reconnect() {
      calls.reconnect += 1;
    },
    redact: redactor(['s3cret']),
    close: async () => {},
  };
  return { client, calls };
}

/** Uploads a file that is rewritten once its first bytes have left. */
async function uploadChanging(content: Buffer, isHashed: boolean) {
  using file = fileOf(content);
  const chunks: Buffer[] = [];
  const { client } = answering(['/name'], async ({ body = [] }) => {
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk));
      // A small file has been read already; a large one would be refused.
      if (content.length <= SMALL_BYTES) writeFileSync(file.path, content.toReversed());
    }
  });
  const upload = uploader(client, INPUTS, isHashed);
  const [stored] = (await upload([found(file.path, content.length, 'name')], () => {})).values();
  const whole = Buffer.concat(chunks);
  return {
    stored,
    sent: whole.subarray(whole.indexOf('\r\n\r\n') + 4, whole.lastIndexOf('\r\n--')),
  };
}

describe('the hash of a file is that of what was sent', () => {
  for (const size of [0, 5, SMALL_BYTES, LARGE, 5 * LARGE + 3]) {
    test(`of ${size} bytes`, async () => {
      const { stored, sent } = await uploadChanging(pattern(size), true);
      const sha256 = createHash('sha256').update(sent).digest('hex');
      assert.deepEqual(stored, { path: '/name', size, sha256 });
      assert.equal(sent.length, size);
    });
  }

  test('if that is asked for', async () => {
    for (const size of [5, LARGE])
      assert.deepEqual((await uploadChanging(pattern(size), false)).stored, {
        path: '/name',
        size,
      });
  });
});

test('each file of a batch has its own answer, and one that cannot be read has none', async () => {
  using one = fileOf('one');
  using gone = fileOf('gone');
  using three = fileOf('three');
  const requests: AgentRequest[] = [];
  const { client } = answering(
    ['/h/one', '/h/s3cret/three'],
    request => void requests.push(request),
  );
  const files = Object.entries({ one, gone, 's3cret/three': three });
  const planned = files.map(([target, { path }]) => found(path, 5, target));
  rmSync(gone.path);
  const upload = uploader(client, { ...INPUTS, username: 'a b' }, false);
  const stored = await upload(planned, () => {});
  assert.deepEqual(
    planned.map(file => stored.get(file)),
    [{ path: '/h/one', size: 3 }, undefined, { path: '/h/***/three', size: 5 }],
  );
  assert.equal(requests[0]?.path, '/files?username=a%20b');
  rmSync(one.path);
  rmSync(three.path);
  assert.equal((await upload(planned, () => {})).size, 0);
  assert.equal(requests.length, 1);
});

test('a request names the target of a single file, and its length', async () => {
  using file = fileOf('content');
  const requests: AgentRequest[] = [];
  const { client } = answering(['/h/a b/ü'], request => void requests.push(request));
  const inputs = { ...INPUTS, signature: 'x+y', signatureExpiration: '9' };
  await uploader(client, inputs, false)([found(file.path, 7, 'a b/ü')], () => {});
  const [{ path, headers, body } = assert.fail('nothing was sent')] = requests;
  assert.equal(path, '/files?path=a%20b%2F%C3%BC&signature=x%2By&signature_expiration=9');
  let length = 0;
  for await (const chunk of body ?? []) length += chunk.length;
  assert.equal(headers?.['Content-Length'], String(length));
});

test('an unusable answer takes new connections, another failure keeps them', async () => {
  using file = fileOf('content');
  const files = [found(file.path, 7)];
  const unusable = answering(['/h/another'], () => {});
  const upload = uploader(unusable.client, INPUTS, false);
  await assert.rejects(
    upload(files, () => {}),
    { kind: 'bad-answer' },
  );
  assert.equal(unusable.calls.reconnect, 1);
  const broken = answering([], () => {
    throw new AgentError('connection', 'It broke.');
  });
  await assert.rejects(uploader(broken.client, INPUTS, false)(files, () => {}));
  assert.equal(broken.calls.reconnect, 0);
});

test('a large file is let go of, whatever becomes of its request', async () => {
  using file = fileOf(pattern(LARGE));
  for (const outcome of ['stored', 'failed']) {
    const { client } = answering(['/h/file'], () => {
      if (outcome === 'failed') throw new AgentError('connection', 'It broke.');
    });
    await uploader(client, INPUTS, false)([found(file.path, LARGE)], () => {}).catch(() => {});
    assert.equal(openIn(file.path), 0);
  }
});

function answer(body: unknown, more: Partial<Answer> = {}): Answer {
  return {
    label: 'POST https://host/files',
    status: 200,
    retryAfter: undefined,
    location: undefined,
    text: JSON.stringify(body),
    isEarly: false,
    ...more,
  };
}

function entry(path: string, name = path.replace(/.*\//, ''), type = 'file') {
  return { path, name, type };
}

type Case = readonly [target: string, body: unknown, says: RegExp];

const NEITHER: Readonly<Record<string, Case>> = {
  'by no entry': ['a/b', [], /it lists 0 files instead of 1\.$/],
  'by more entries than there were files': [
    'a',
    [entry('/h/a'), entry('/h/b')],
    /it lists 2 files instead of 1\.$/,
  ],
  'by the entry of another': ['a/b', [entry('/h/a/c')], /names another file/],
  'by an entry that names another': ['a/b', [entry('/h/a/b', 'c')], /names another file/],
  'by a directory': ['a/b', [entry('/h/a/b', 'b', 'directory')], /not of type "file"/],
  'by an entry without a path': ['a/b', [{ name: 'b', type: 'file' }], /has no path/],
  'by an entry with an empty path': ['a/b', [entry('', 'b')], /has no path/],
  'by null': ['a/b', [null], /its entry is no object/],
  'by an entry in another folder': ['a/b', [entry('/h/b')], /the path of another target/],
  'by an entry in a folder whose name ends alike': [
    'a/b',
    [entry('/h/ca/b')],
    /the path of another target/,
  ],
  'by an absolute target below a folder': ['/a/b', [entry('/h/a/b')], /the path of another target/],
  'by a path longer than any home is': [
    'b',
    [entry(`/${'ü'.repeat(512)}/b`)],
    /more than 1024 bytes longer than the target\.$/,
  ],
};

describe('a file is not acknowledged', () => {
  for (const [name, [target, body, message]] of Object.entries(NEITHER)) {
    test(name, () => {
      assert.throws(() => storedPaths(answer(body), [target]), {
        kind: 'bad-answer',
        isRetryable: true,
        message,
      });
    });
  }

  test('if one of several lies elsewhere, perhaps in the place of another', () => {
    const stored = answer([entry('/h/x'), entry('/h/x')]);
    assert.throws(() => storedPaths(stored, ['x', 'a/x']), { kind: 'bad-answer' });
  });

  test('by an answer that came before it was sent, which is retryable', () => {
    const error = { kind: 'connection', isRetryable: true, status: 200 };
    assert.throws(() => storedPaths(answer([entry('/h/a')], { isEarly: true }), ['a']), error);
  });

  test('by an answer that is not JSON', () => {
    assert.throws(() => storedPaths(answer(0, { text: '<html>' }), ['a']), { kind: 'bad-answer' });
  });
});

const STORED: Readonly<Record<string, readonly [target: string, path: string]>> = {
  'at an absolute target': ['/srv/a/b', '/srv/a/b'],
  'below the home directory': ['a/b', '/home/user/a/b'],
  'at a relative path, as some services return it': ['a/b', 'a/b'],
  'at a path below the longest home': ['b', `/${'ü'.repeat(510)}//b`],
};

describe('files are stored', () => {
  for (const [name, [target, path]] of Object.entries(STORED)) {
    test(name, () => assert.deepEqual(storedPaths(answer([entry(path)]), [target]), [path]));
  }

  test('each by its own entry, in order', () => {
    const stored = answer([entry('/h/a/x'), entry('/h/b/x')]);
    assert.deepEqual(storedPaths(stored, ['a/x', 'b/x']), ['/h/a/x', '/h/b/x']);
  });
});

test('a single file is acknowledged in a list or not', () => {
  assert.deepEqual(storedPaths(answer(entry('/home/user/a/b')), ['a/b']), ['/home/user/a/b']);
});
