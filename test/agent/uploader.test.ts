import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Client } from '../../src/agent/client.ts';
import type { HttpAnswer, HttpRequest } from '../../src/agent/exchange.ts';
import { AgentError } from '../../src/agent/failure.ts';
import { storedPaths, uploader } from '../../src/agent/uploader.ts';
import { redactor } from '../../src/text/redact.ts';
import { parsed } from '../inputs/given.ts';
import { fileOf, LARGE, LARGEST_BUFFERED, pattern } from './bodies.ts';

/** A client whose requests are answered by the paths of stored files. */
function answering(
  paths: readonly string[],
  onRequest: (request: HttpRequest) => Promise<void> | void,
): Pick<Client, 'send' | 'redact'> {
  const entries = paths.map(path => ({ path, name: path.replace(/.*\//, ''), type: 'file' }));
  const answer = { tried: '', status: 200, retryAfter: undefined, text: JSON.stringify(entries), sentWhole: true };
  return {
    async send(request) {
      await onRequest(request);
      return answer;
    },
    redact: redactor(['s3cret']),
  };
}

/** Uploads a file that is secretly written anew as soon as its first bytes have left; returns what was sent and what is said of it. */
async function uploadChanging(content: Buffer, hashed: boolean) {
  using file = fileOf(content);
  utimesSync(file.path, 1, 1);
  const pieces: Buffer[] = [];
  const client = answering(['/name'], async ({ body }) => {
    for await (const piece of Buffer.isBuffer(body) ? [body] : (body ?? [])) {
      pieces.push(Buffer.from(piece));
      writeFileSync(file.path, content.toReversed(), { flag: 'r+' });
      utimesSync(file.path, 1, 1);
    }
  });
  const upload = uploader(client, parsed(), hashed);
  const [stored] = await upload([{ realPath: file.path, target: 'name', size: content.length }], () => {});
  const whole = Buffer.concat(pieces);
  return { stored, sent: whole.subarray(whole.indexOf('\r\n\r\n') + 4, whole.lastIndexOf('\r\n--')) };
}

describe('what is said of a file is the hash of what was sent', () => {
  for (const size of [0, 5, LARGEST_BUFFERED - 200, LARGE, 5 * LARGE + 3]) {
    test(`of ${size} bytes`, async () => {
      const { stored, sent } = await uploadChanging(pattern(size), true);
      const sha256 = createHash('sha256').update(sent).digest('hex');
      assert.deepEqual(stored, { path: '/name', size, sha256 });
      assert.equal(sent.length, size);
    });
  }

  test('where that is asked for', async () => {
    for (const size of [5, LARGE])
      assert.deepEqual((await uploadChanging(pattern(size), false)).stored, { path: '/name', size });
  });
});

test('of several files each has its own answer, and none the one that could not be read', async () => {
  using one = fileOf('one');
  using gone = fileOf('gone');
  using three = fileOf('three');
  rmSync(gone.path);
  const requests: HttpRequest[] = [];
  const client = answering(['/h/one', '/h/s3cret/three'], request => void requests.push(request));
  const files = Object.entries({ one, gone, 's3cret/three': three });
  const planned = files.map(([target, { path }]) => ({ realPath: path, target, size: 5 }));
  const upload = uploader(client, parsed({ username: 'a b' }), false);
  const stored = await upload(planned, () => {});
  assert.deepEqual(stored, [{ path: '/h/one', size: 3 }, undefined, { path: '/h/***/three', size: 5 }]);
  assert.equal(requests[0]?.path, '/files?username=a%20b');
  rmSync(one.path);
  rmSync(three.path);
  assert.deepEqual(await upload(planned, () => {}), [undefined, undefined, undefined]);
  assert.equal(requests.length, 1);
  writeFileSync(gone.path, 'gone');
});

test('a body that was not stored is not used again: the network may still read from it', async () => {
  using file = fileOf('content');
  const memory: unknown[] = [];
  let error: AgentError | undefined = new AgentError('connection', 'It broke.');
  const client = answering(['/name'], ({ body }) => {
    if (Buffer.isBuffer(body)) memory.push(body.buffer);
    if (error !== undefined) throw error;
  });
  const upload = uploader(client, parsed(), false);
  const once = () => upload([{ realPath: file.path, target: 'name', size: 7 }], () => {});
  await assert.rejects(once(), error);
  error = undefined;
  await once();
  await once();
  assert.notEqual(memory[0], memory[1]);
  assert.equal(memory[1], memory[2]);
});

function answer(body: unknown, more: Partial<HttpAnswer> = {}): HttpAnswer {
  const tried = 'POST https://host/files';
  return { tried, status: 200, retryAfter: undefined, text: JSON.stringify(body), sentWhole: true, ...more };
}

function entry(path: string, name = path.replace(/.*\//, ''), type = 'file') {
  return { path, name, type };
}

type Case = readonly [target: string, body: unknown, says: RegExp];

const NEITHER: Readonly<Record<string, Case>> = {
  'by no entry': ['a/b', [], /It holds 0 file entries, where one was expected/],
  'by more entries than there were files': ['a', [entry('/h/a'), entry('/h/b')], /holds 2 file entries/],
  'by the entry of another': ['a/b', [entry('/h/a/c')], /names another file/],
  'by an entry that names another': ['a/b', [entry('/h/a/b', 'c')], /names another file/],
  'by a directory': ['a/b', [entry('/h/a/b', 'b', 'directory')], /not of type "file"/],
  'by an entry without a path': ['a/b', [{ name: 'b', type: 'file' }], /has no path/],
  'by an entry with an empty path': ['a/b', [entry('', 'b')], /has no path/],
  'by null': ['a/b', [null], /not an object/],
  'by an entry in another folder': ['a/b', [entry('/h/b')], /the path of another target/],
  'by an entry in a folder whose name ends alike': ['a/b', [entry('/h/ca/b')], /the path of another target/],
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
      assert.throws(() => storedPaths(answer(body), [target]), { kind: 'bad-answer', retryable: false, message });
    });
  }

  test('where one of several lies elsewhere, perhaps in the place of another', () => {
    const stored = answer([entry('/h/x'), entry('/h/x')]);
    assert.throws(() => storedPaths(stored, ['x', 'a/x']), { kind: 'bad-answer' });
  });

  test('by an answer that came before it was sent, which another attempt may mend', () => {
    const error = { kind: 'connection', retryable: true, final: false, status: 200 };
    assert.throws(() => storedPaths(answer([entry('/h/a')], { sentWhole: false }), ['a']), error);
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
