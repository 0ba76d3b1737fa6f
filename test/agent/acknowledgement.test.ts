import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HttpAnswer } from '../../src/agent/exchange.ts';
import { storedPaths } from '../../src/agent/uploader.ts';

function answer(body: unknown, more: Partial<HttpAnswer> = {}): HttpAnswer {
  const text = JSON.stringify(body);
  return {
    tried: 'POST https://host/files',
    status: 200,
    retryAfter: undefined,
    text,
    sentWhole: true,
    ...more,
  };
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
  'by an entry below another folder, with an absolute target': [
    '/a/b',
    [entry('/h/a/b')],
    /the path of another target/,
  ],
  'by a path longer than any can be': ['b', [entry(`/${'ü'.repeat(2047)}/b`)], /a path longer than 4096 bytes\.$/],
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
  'at a path as long as paths can be': ['b', `/${'ü'.repeat(2046)}//b`],
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
