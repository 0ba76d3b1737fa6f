import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FileResult } from '../../src/upload/result.ts';
import { afterTransfer, type Entries, without } from '../../src/upload/state.ts';
import { BUSY } from '../report/reports.ts';
import { file } from './transferring.ts';

/** Entries by target, each at the path given. */
function entriesAt(paths: Readonly<Record<string, string>>): Entries {
  return new Map(Object.entries(paths).map(([target, path]) => [target, { path, size: 3, sha256: `of ${target}` }]));
}

const HOME = entriesAt({
  x: '/home/user/x',
  'app/x': '/home/user/app/x',
  '/srv/x': '/srv/x',
  y: '/home/user/y',
});

describe('what is sent takes away', () => {
  const cases: readonly (readonly [name: string, sent: readonly string[], left: readonly string[]])[] = [
    ['nothing where nothing is sent', [], ['x', 'app/x', '/srv/x', 'y']],
    ['its own entry, and an absolute one of its name, which may be its place', ['x'], ['app/x', 'y']],
    ['also where it is new', ['new/x'], ['x', 'app/x', 'y']],
    ['and so for an absolute one', ['/home/user/app/x'], ['/srv/x', 'y']],
    ['nothing where no name is like its own', ['new/z', '/new/z'], ['x', 'app/x', '/srv/x', 'y']],
  ];
  for (const [name, sent, left] of cases) {
    test(name, () => assert.deepEqual([...without(HOME, sent).keys()], left));
  }

  test('what the agent said to lie at the very same place', () => {
    const entries = entriesAt({ x: '/srv/x', 'link/y': '/srv/x', z: '/srv/z' });
    assert.deepEqual([...without(entries, ['x']).keys()], ['z']);
  });
});

function uploaded(name: string, path: string): FileResult {
  return { status: 'uploaded', file: file(name), attempts: 1, durationMs: 1, path, size: 3, sha256: 'new' };
}

function failed(name: string): FileResult {
  return { status: 'failed', file: file(name), attempts: 1, durationMs: 1, error: BUSY };
}

const ALL = [...HOME.keys()];
const NOT_TRIED: FileResult = { status: 'not-attempted', file: file('x'), reason: 'the job was cancelled' };

const ENDS: readonly (readonly [name: string, results: readonly FileResult[], known: readonly string[]])[] = [
  ['what was stored is known', [uploaded('y', '/home/user/y'), uploaded('z', '/home/user/z')], [...ALL, 'z']],
  ['what failed is not, what was not tried is as it was', [failed('y'), NOT_TRIED], ['x', 'app/x', '/srv/x']],
  [
    'what was stored at the place of another, spelt otherwise, takes its entry',
    [uploaded('/home/user/app/x', '/home/user/app/x')],
    ['/srv/x', 'y', '/home/user/app/x'],
  ],
  [
    'and so where they are spelt alike, behind a link',
    [uploaded('link/y', '/home/user/y')],
    ['x', 'app/x', '/srv/x', 'link/y'],
  ],
  ['of two at one place neither is known', [uploaded('z', '/h/z'), uploaded('/h/z', '/h/z')], ALL],
  ['nor of two behind a link', [uploaded('z', '/h/z'), uploaded('link/a', '/h/z')], ALL],
  ['nor one that another may have overwritten in part', [uploaded('z', '/h/z'), failed('/h/z')], ALL],
  ['nor where that is known by a link', [uploaded('link/a', '/home/user/y'), failed('y')], ['x', 'app/x', '/srv/x']],
];

describe('after a transfer', () => {
  for (const [name, results, known] of ENDS) {
    test(name, () => assert.deepEqual([...afterTransfer(HOME, results).keys()], known));
  }

  test('what was stored is known by what was sent, and not where that was not hashed', () => {
    const result = uploaded('y', '/home/user/y');
    assert.deepEqual(afterTransfer(HOME, [result]).get('y'), {
      path: '/home/user/y',
      size: 3,
      sha256: 'new',
    });
    const { sha256: _, ...unhashed } = { ...result, sha256: '' };
    assert.equal(afterTransfer(HOME, [unhashed]).get('y'), undefined);
  });
});
