import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storedPath, storedPaths } from '../../src/agent/acknowledgement.ts';
import type { HttpAnswer } from '../../src/agent/http.ts';

function answer(body: unknown, sentWhole = true): HttpAnswer {
  return {
    tried: 'POST https://host/files',
    status: 200,
    retryAfter: undefined,
    text: JSON.stringify(body),
    sentWhole,
  };
}

function entry(path: string, name = path.replace(/.*\//, ''), type = 'file') {
  return { path, name, type };
}

describe('files that shared a request are stored', () => {
  const cases: Readonly<Record<string, readonly [target: string, stored: string]>> = {
    'at an absolute target': ['/srv/a/b', '/srv/a/b'],
    'below the home directory': ['a/b', '/home/user/a/b'],
    'at a relative path, as some services return it': ['a/b', 'a/b'],
  };
  for (const [name, [target, stored]] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(storedPaths(answer([entry(stored)]), [target]), [stored]));
  }

  test('each by its own entry, in order', () => {
    const stored = storedPaths(answer([entry('/h/a/x'), entry('/h/b/x')]), ['a/x', 'b/x']);
    assert.deepEqual(stored, ['/h/a/x', '/h/b/x']);
  });
});

describe('files that shared a request are not acknowledged', () => {
  const cases: Readonly<Record<string, readonly [target: string, entries: unknown]>> = {
    'by no entry': ['a/b', []],
    'by the entry of another': ['a/b', [entry('/h/a/c')]],
    'by an entry in another folder': ['a/b', [entry('/h/b')]],
    'by an entry in a folder whose name ends alike': ['a/b', [entry('/h/ca/b')]],
    'below another folder, with an absolute target': ['/a/b', [entry('/h/a/b')]],
    'by a directory': ['a/b', [entry('/h/a/b', 'b', 'directory')]],
    'by an entry that names another': ['a/b', [entry('/h/a/b', 'c')]],
    'by an entry without a path': ['a/b', [{ name: 'b', type: 'file' }]],
    'by null': ['a/b', [null]],
    'by an entry at another place in the list': ['a/b', [entry('/h/x'), entry('/h/a/b')]],
  };
  for (const [name, [target, entries]] of Object.entries(cases)) {
    test(name, () => {
      assert.throws(() => storedPaths(answer(entries), [target]), { kind: 'bad-answer', retryable: false });
    });
  }

  test('where one of them lies elsewhere, perhaps in the place of another', () => {
    const entries = [entry('/h/x'), entry('/h/x')];
    assert.throws(() => storedPaths(answer(entries), ['x', 'a/x']), { kind: 'bad-answer' });
  });

  test('by more entries than there were files', () => {
    assert.throws(() => storedPaths(answer([entry('/h/a'), entry('/h/b')]), ['a']), { kind: 'bad-answer' });
  });

  test('by an answer that came before they were sent', () => {
    assert.throws(() => storedPaths(answer([entry('/h/a')], false), ['a']), { kind: 'connection' });
  });

  test('by an answer that is not JSON', () => {
    assert.throws(() => storedPaths({ ...answer(0), text: '<html>' }, ['a']), { kind: 'bad-answer' });
  });
});

test('a single file is acknowledged by its name, wherever the agent says it is', () => {
  assert.equal(storedPath(answer(entry('/elsewhere/b')), 'a/b'), '/elsewhere/b');
  assert.equal(storedPath(answer([entry('b')]), '/a/b'), 'b');
});
