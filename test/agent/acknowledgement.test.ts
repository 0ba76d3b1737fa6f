import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HttpAnswer } from '../../src/agent/exchange.ts';
import { storedPaths } from '../../src/agent/uploader.ts';

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
  'by a path longer than any can be': ['b', [entry(`/${'ü'.repeat(2047)}/b`)], /a path longer than 4096 bytes\.$/],
};

const ELSEWHERE: Readonly<Record<string, Case>> = {
  'in another folder': ['a/b', [entry('/h/b')], /the path of another target/],
  'in a folder whose name ends alike': ['a/b', [entry('/h/ca/b')], /the path of another target/],
  'below another folder, with an absolute target': ['/a/b', [entry('/h/a/b')], /the path of another target/],
};

describe('a file is not acknowledged', () => {
  for (const [name, [target, body, message]] of Object.entries(NEITHER)) {
    test(`${name}, alone or in a shared request`, () => {
      const error = { kind: 'bad-answer', retryable: false, message };
      for (const isShared of [false, true]) assert.throws(() => storedPaths(answer(body), [target], isShared), error);
    });
  }
  for (const [name, [target, body, message]] of Object.entries(ELSEWHERE)) {
    test(`by an entry ${name}, in a shared request; alone it is`, () => {
      assert.throws(() => storedPaths(answer(body), [target], true), { kind: 'bad-answer', message });
      assert.equal(storedPaths(answer(body), [target], false).length, 1);
    });
  }

  test('where one of several lies elsewhere, perhaps in the place of another', () => {
    const stored = answer([entry('/h/x'), entry('/h/x')]);
    assert.throws(() => storedPaths(stored, ['x', 'a/x'], true), { kind: 'bad-answer' });
  });

  test('by an answer that came before it was sent, which another attempt may mend', () => {
    const error = { kind: 'connection', retryable: true, final: false, status: 200 };
    assert.throws(() => storedPaths(answer([entry('/h/a')], { sentWhole: false }), ['a'], false), error);
  });
});

const STORED: Readonly<Record<string, readonly [target: string, path: string]>> = {
  'at an absolute target': ['/srv/a/b', '/srv/a/b'],
  'below the home directory': ['a/b', '/home/user/a/b'],
  'at a relative path, as some services return it': ['a/b', 'a/b'],
  'at a path as long as paths can be': ['b', `/${'ü'.repeat(2046)}//b`],
};

describe('files that shared a request are stored', () => {
  for (const [name, [target, path]] of Object.entries(STORED)) {
    test(name, () => assert.deepEqual(storedPaths(answer([entry(path)]), [target], true), [path]));
  }

  test('each by its own entry, in order', () => {
    const stored = answer([entry('/h/a/x'), entry('/h/b/x')]);
    assert.deepEqual(storedPaths(stored, ['a/x', 'b/x'], true), ['/h/a/x', '/h/b/x']);
  });
});

test('a single file is acknowledged by its name, in a list or not, wherever the agent says it is', () => {
  assert.deepEqual(storedPaths(answer(entry('/elsewhere/b')), ['a/b'], false), ['/elsewhere/b']);
  assert.deepEqual(storedPaths(answer([entry('b')]), ['/a/b'], false), ['b']);
});
