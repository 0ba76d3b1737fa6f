import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { AgentError, failureOf } from '../../src/agent/failure.ts';
import { identityOf } from '../../src/agent/read-file.ts';
import type { PlannedFile } from '../../src/files/plan.ts';
import { findChanges, rowsAfter, withoutTouched } from '../../src/upload/changes.ts';
import type { FileResult } from '../../src/upload/result.ts';
import type { StateRows } from '../../src/upload/state-file.ts';
import { plant, type Tree } from '../files/tree.ts';
import { file } from './transferring.ts';

const NEVER = new AbortController().signal;

function planned(tree: Tree, name: string, size = 3): PlannedFile {
  const realPath = tree.at(name);
  const identity = identityOf(lstatSync(realPath, { bigint: true }));
  return { source: name, realPath, target: name, size, isExecutable: false, identity };
}

/** The rows of sent files. */
function rowsOf(contents: Readonly<Record<string, string | Buffer>>): StateRows {
  return new Map(
    Object.entries(contents).map(([target, content]) => {
      const sha256 = createHash('sha256').update(content).digest('hex');
      return [`/home/user/${target}`, { target, size: Buffer.byteLength(content), sha256 }];
    }),
  );
}

async function unchanged(
  files: readonly PlannedFile[],
  rows: StateRows,
  cancel = NEVER,
): Promise<string[]> {
  const changes = await findChanges(files, rows, cancel);
  return [...changes.unchanged.keys()].map(({ target }) => target);
}

const LARGE = Buffer.alloc(2 ** 20, 'x');

describe('a file is unchanged', () => {
  for (const [name, content] of Object.entries({
    empty: '',
    small: 'abc',
    'one piece': LARGE,
    'a byte more than one piece': Buffer.concat([LARGE, Buffer.from('y')]),
  })) {
    test(`if its content is what was sent: ${name}`, async () => {
      using tree = plant({ f: content });
      const own = planned(tree, 'f', content.length);
      assert.deepEqual(await unchanged([own], rowsOf({ f: content })), ['f']);
      const other = Buffer.concat([Buffer.from(content).subarray(1), Buffer.from('!')]);
      assert.deepEqual(await unchanged([own], rowsOf({ f: other })), []);
    });
  }
});

describe('a file has changed', () => {
  test('if nothing is known of its target, or it has another size', async () => {
    using tree = plant({ f: 'abc' });
    assert.deepEqual(await unchanged([planned(tree, 'f')], rowsOf({ g: 'abc' })), []);
    assert.deepEqual(await unchanged([planned(tree, 'f')], rowsOf({ f: 'abcd' })), []);
  });

  test('if it is gone, or is a folder or a link by now', async () => {
    using tree = plant({ gone: 'abc', folder: 'abc', link: 'abc', end: 'abc' });
    const files = ['gone', 'folder', 'link'].map(name => planned(tree, name));
    for (const name of ['gone', 'folder', 'link']) rmSync(tree.at(name));
    mkdirSync(tree.at('folder'));
    symlinkSync('end', tree.at('link'));
    const rows = rowsOf({ gone: 'abc', folder: 'abc', link: 'abc' });
    assert.deepEqual(await unchanged(files, rows), []);
  });

  test('if another upload of the run may overwrite it', async () => {
    using tree = plant({ x: 'abc', 'app/x': 'abc', other: 'new' });
    const absolute = { ...planned(tree, 'other'), target: '/home/user/app/x' };
    const files = [planned(tree, 'x'), planned(tree, 'app/x'), absolute];
    assert.deepEqual(await unchanged(files, rowsOf({ x: 'abc', 'app/x': 'abc' })), []);
  });

  test('as far as a cancelled comparison knows', async () => {
    using tree = plant({ f: 'abc' });
    const { unchanged: known, orphaned } = await findChanges(
      [planned(tree, 'f')],
      rowsOf({ f: 'abc', g: 'abc' }),
      AbortSignal.abort(),
    );
    assert.deepEqual([known.size, orphaned], [0, []]);
  });
});

/** Rows with these targets, by path. */
function rowsAt(targets: Readonly<Record<string, string>>): StateRows {
  const row = (target: string) => ({ target, size: 3, sha256: `of ${target}` });
  return new Map(Object.entries(targets).map(([path, target]) => [path, row(target)]));
}

const HOME = rowsAt({
  '/home/user/x': 'x',
  '/home/user/app/x': 'app/x',
  '/srv/x': '/srv/x',
  '/home/user/y': 'y',
});

function targetsOf(rows: StateRows): string[] {
  return [...rows.values()].map(({ target }) => target);
}

const SENT: readonly (readonly [name: string, sent: readonly string[], left: readonly string[]])[] =
  [
    ['nothing', [], ['x', 'app/x', '/srv/x', 'y']],
    ['a relative target', ['x'], ['app/x', 'y']],
    ['a relative target that is new', ['new/x'], ['x', 'app/x', '/srv/x', 'y']],
    ['an absolute target', ['/home/user/app/x'], ['/srv/x', 'y']],
    ['targets of other names', ['new/z', '/new/z'], ['x', 'app/x', '/srv/x', 'y']],
  ];

describe('the rows that stay true while files are sent', () => {
  for (const [name, sent, left] of SENT)
    test(name, () => assert.deepEqual(targetsOf(withoutTouched(HOME, sent)), left));
});

function uploaded(target: string, path: string): FileResult {
  const sent = { file: file(target), attempts: 1, durationMs: 1 };
  return { status: 'uploaded', ...sent, path, size: 3, sha256: 'new' };
}

function failed(target: string): FileResult {
  const error = failureOf(new AgentError('busy', 'It is busy.'));
  return { status: 'failed', file: file(target), attempts: 1, durationMs: 1, error };
}

const NOT_ATTEMPTED: FileResult = {
  status: 'not-attempted',
  file: file('x'),
  reason: 'the job was cancelled',
};

const ENDS: readonly (readonly [
  name: string,
  results: readonly FileResult[],
  known: readonly string[],
])[] = [
  [
    'know what was uploaded',
    [uploaded('y', '/home/user/y'), uploaded('z', '/home/user/z')],
    ['x', 'app/x', '/srv/x', 'y', 'z'],
  ],
  [
    'forget what failed, and keep what was not attempted',
    [failed('y'), NOT_ATTEMPTED],
    ['x', 'app/x', '/srv/x'],
  ],
  [
    'know one target of a place that has two',
    [uploaded('/home/user/app/x', '/home/user/app/x')],
    ['/srv/x', 'y', '/home/user/app/x'],
  ],
  [
    'know the target that was sent last to a place behind a link',
    [uploaded('link/y', '/home/user/y')],
    ['x', 'app/x', '/srv/x', 'link/y'],
  ],
  [
    'know neither of two targets that may be one place',
    [uploaded('z', '/h/z'), uploaded('/h/z', '/h/z')],
    ['x', 'app/x', '/srv/x', 'y'],
  ],
  [
    'forget an upload that another may have overwritten in part',
    [uploaded('z', '/h/z'), failed('/h/z')],
    ['x', 'app/x', '/srv/x', 'y'],
  ],
];

describe('the rows after a transfer', () => {
  for (const [name, results, known] of ENDS)
    test(name, () => assert.deepEqual(targetsOf(rowsAfter(HOME, results)), known));

  test('hold what was sent, if it was hashed', () => {
    const result = uploaded('y', '/home/user/y');
    const row = rowsAfter(new Map(), [result]).get('/home/user/y');
    assert.deepEqual(row, { target: 'y', size: 3, sha256: 'new' });
  });
});
