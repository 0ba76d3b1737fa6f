import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FileResult } from '../../src/upload/result.ts';
import type { Entries } from '../../src/upload/state.ts';
import { afterTransfer, without } from '../../src/upload/state-entries.ts';
import { BUSY } from '../report/reports.ts';
import { file } from './transferring.ts';

/** Entries by target, each at the path given. */
function entriesAt(paths: Readonly<Record<string, string>>): Entries {
  return new Map(
    Object.entries(paths).map(([target, path]) => [target, { path, size: 3, sha256: `of ${target}` }]),
  );
}

const HOME = entriesAt({
  x: '/home/user/x',
  'app/x': '/home/user/app/x',
  '/srv/x': '/srv/x',
  y: '/home/user/y',
});

describe('what is sent takes away', () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['nothing where nothing is sent', [], ['x', 'app/x', '/srv/x', 'y']],
    ['its own entry alone, where its place is known', ['x'], ['app/x', '/srv/x', 'y']],
    [
      'whatever may be the same place in the other spelling, where its own is not known',
      ['new/x'],
      ['x', 'app/x', 'y'],
    ],
    ['and so for an absolute one', ['/home/user/app/x'], ['/srv/x', 'y']],
    ['nothing where no name is like its own', ['new/z', '/new/z'], ['x', 'app/x', '/srv/x', 'y']],
  ];
  for (const [name, sent, left] of cases) {
    test(name, () => assert.deepEqual([...without(HOME, sent).keys()], left));
  }

  test('more where the agent answers no absolute paths: they cannot tell places apart', () => {
    const entries = entriesAt({ x: 'x', '/home/user/x': '/home/user/x', 'app/x': 'app/x', '/y': '/y' });
    assert.deepEqual([...without(entries, ['x']).keys()], ['app/x', '/y']);
    assert.deepEqual([...without(entries, ['/home/user/x']).keys()], ['/y']);
  });
});

function uploaded(name: string, path: string, sha256 = 'new'): FileResult {
  return { status: 'uploaded', file: file(name), attempts: 1, durationMs: 1, path, size: 3, sha256 };
}

function failed(name: string): FileResult {
  return { status: 'failed', file: file(name), attempts: 1, durationMs: 1, error: BUSY };
}

describe('after a transfer', () => {
  test('what was acknowledged is known by what was sent', () => {
    const entries = afterTransfer(HOME, [uploaded('y', '/home/user/y'), uploaded('z', '/home/user/z')]);
    assert.deepEqual([...entries.keys()], ['x', 'app/x', '/srv/x', 'y', 'z']);
    assert.deepEqual(entries.get('y'), { path: '/home/user/y', size: 3, sha256: 'new' });
  });

  test('what failed is not known, what was not tried is as it was', () => {
    const results: FileResult[] = [
      failed('y'),
      { status: 'not-attempted', file: file('x'), reason: 'the job was cancelled' },
    ];
    assert.deepEqual([...afterTransfer(HOME, results)], [...HOME].slice(0, 3));
  });

  test('what failed takes no other with it, where its place is known', () => {
    assert.deepEqual([...afterTransfer(HOME, [failed('x')]).keys()], ['app/x', '/srv/x', 'y']);
  });

  test('what was acknowledged at the place of another takes its entry', () => {
    const entries = afterTransfer(HOME, [uploaded('/home/user/app/x', '/home/user/app/x')]);
    assert.deepEqual([...entries.keys()], ['x', '/srv/x', 'y', '/home/user/app/x']);
  });

  test('of two that were acknowledged at one place neither is known', () => {
    const results = [uploaded('z', '/home/user/z'), uploaded('/home/user/z', '/home/user/z')];
    assert.deepEqual(afterTransfer(HOME, results), HOME);
  });

  test('one that another may have overwritten in part is not known', () => {
    const results = [uploaded('z', '/home/user/z'), failed('/home/user/z')];
    assert.deepEqual(afterTransfer(HOME, results), HOME);
  });

  test('what was not hashed is not known', () => {
    const { sha256: _, ...unhashed } = { ...uploaded('y', '/home/user/y'), sha256: '' };
    assert.deepEqual([...afterTransfer(HOME, [unhashed]).keys()], ['x', 'app/x', '/srv/x']);
  });
});
