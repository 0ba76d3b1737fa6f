import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, describe, test } from 'node:test';
import type { PlannedFile } from '../../src/files/plan.ts';
import type { RawInputs } from '../../src/inputs/parsers.ts';
import { findChanges, readState, removeState, writeState } from '../../src/transfer/state-file.ts';
import type { FileResult } from '../../src/transfer/transfer.ts';
import { parsed } from '../inputs/given.ts';
import { onWindows } from '../system.ts';
import { openFolder } from './folder.ts';

const NEVER = new AbortController().signal;

let folder = openFolder();
afterEach(() => {
  folder[Symbol.dispose]();
  folder = openFolder();
});

function read(given: RawInputs = {}) {
  const inputs = parsed({ 'state-file': 'cache/state.json', ...given });
  const { state = assert.fail('there is no state'), warnings } = readState(inputs, folder.path);
  return { ...state, warnings };
}

const FILE = () => folder.at('cache/state.json');

function uploaded(file: PlannedFile, path = `/home/user/${file.target}`): FileResult {
  const sha256 = createHash('sha256').update(readFileSync(file.realPath)).digest('hex');
  return { status: 'uploaded', file, attempts: 1, durationMs: 1, path, size: file.size, sha256 };
}

function failed(file: PlannedFile): FileResult {
  const error = { kind: 'busy', status: 429, message: 'It is busy.', hint: 'Wait.' } as const;
  return { status: 'failed', file, attempts: 1, durationMs: 1, error };
}

/** Ends a run with these results. */
function write(results: readonly FileResult[], given: RawInputs = {}): string {
  const state = read(given);
  removeState(state);
  assert.deepEqual(writeState(state, results), []);
  return existsSync(FILE()) ? readFileSync(FILE(), 'utf8') : '';
}

async function changes(files: readonly PlannedFile[], cancel = NEVER) {
  const { unchanged, orphaned } = await findChanges(files, read(), cancel);
  return { unchanged: Array.from(unchanged.keys(), ({ target }) => target), orphaned };
}

describe('a file is unchanged', () => {
  test('if target, size and hash are the same', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map(name => folder.plan(name, name));
    assert.ok(a && b && c);
    write([uploaded(a), uploaded(b), uploaded(c)]);
    const other = folder.plan('b', 'B');
    const longer = folder.plan('c', 'c!');
    assert.deepEqual(await changes([a, other, longer, folder.plan('d', 'a')]), {
      unchanged: ['a'],
      orphaned: [],
    });
    const { unchanged } = await findChanges([a], read(), NEVER);
    assert.equal(unchanged.get(a)?.path, '/home/user/a');
  });

  test('unless it cannot be read, or the job is cancelled, when nothing is orphaned either', async () => {
    const [a, b] = [folder.plan('a', 'a'), folder.plan('b', 'b')];
    write([uploaded(a), uploaded(b)]);
    assert.deepEqual(await changes([a], AbortSignal.abort()), { unchanged: [], orphaned: [] });
    rmSync(a.realPath);
    assert.deepEqual((await changes([a])).unchanged, []);
  });
});

describe('a file that is no longer in the build', () => {
  test('is orphaned, run after run', async () => {
    const [a, b] = [folder.plan('a', 'a'), folder.plan('b', 'b')];
    write([uploaded(a), uploaded(b)]);
    for (let run = 0; run < 2; run += 1) {
      assert.deepEqual((await changes([a])).orphaned, ['/home/user/b']);
      write([uploaded(a)]);
    }
  });

  test('is sent again if it comes back, since it may have been deleted meanwhile', async () => {
    const [a, b] = [folder.plan('a', 'a'), folder.plan('b', 'b')];
    write([uploaded(a), uploaded(b)]);
    write([uploaded(a)]);
    assert.deepEqual((await changes([a, b])).unchanged, ['a']);
  });

  test('is not orphaned if another file takes its place', async () => {
    const [a, b] = [folder.plan('a', 'a'), folder.plan('/home/user/a', 'b')];
    write([uploaded(a)]);
    assert.deepEqual((await changes([b])).orphaned, []);
    write([uploaded(b, '/home/user/a')]);
    assert.deepEqual((await changes([b])).unchanged, ['/home/user/a']);
  });
});

describe('a state file', () => {
  test('is removed before a transfer, and stays so after a failure', () => {
    const [a, b] = [folder.plan('a', 'a'), folder.plan('b', 'b')];
    write([uploaded(a)]);
    for (const last of [failed(b), { status: 'not-attempted', file: b, reason: 'x' } as const]) {
      assert.equal(write([uploaded(a), last]), '');
      assert.equal(read().rows.length, 0);
      write([uploaded(a)]);
    }
  });

  test('is the same text whatever the order of its rows, with a line for each', () => {
    const results = ['a', '"\\\n\u2028', '__proto__'].map(name =>
      uploaded(folder.plan(name, name)),
    );
    const text = write(results);
    rmSync(FILE());
    assert.equal(write(results.toReversed()), text);
    assert.equal(text.split('\n').length, 3 + 3);
    assert.equal(read().rows.find(row => row.target === '__proto__')?.path, '/home/user/__proto__');
  });

  test('is ignored, with a warning, if it was cut anywhere, or is damaged', () => {
    const text = write([uploaded(folder.plan('a', 'a'))]);
    const cut = Array.from({ length: text.length - 21 }, (_, index) => text.slice(0, index + 20));
    const damaged = [
      text.replace('"target":"a"', '"target":7'),
      text.replace('"path":"', '"path":7,"x":"'),
      text.replace('"size":1', '"size":"1"'),
      text.replace('"sha256":"', '"sha256":7,"x":"'),
      text.replace('"schema":2', '"schema":3'),
      text.replace(/\[[\s\S]*\]/, '{}'),
    ];
    for (const spoiled of [...cut, ...damaged]) {
      assert.notEqual(spoiled, text);
      writeFileSync(FILE(), spoiled);
      const { rows, warnings } = read();
      assert.deepEqual([rows.length, warnings.length], [0, 1], spoiled);
    }
  });

  const SCOPE: Readonly<Record<string, string>> = {
    'sandbox-id': 'another',
    port: '8080',
    'base-url': 'https://another.example.com',
    'header-prefix': 'Acme',
    'upload-path': '/upload',
    username: 'root',
    shard: '1/2',
    headers: 'X-Tenant: another',
  };
  for (const [input, value] of Object.entries(SCOPE))
    test(`is ignored with another ${input}`, () => {
      write([uploaded(folder.plan('a', 'a'))]);
      const { rows, warnings } = read({ [input]: value });
      assert.deepEqual([rows.length, warnings.length], [0, 1]);
    });

  test('still holds with another token, and another value of a secret header', () => {
    write([uploaded(folder.plan('a', 'a'))], { headers: 'X-Api-Key: first-secret' });
    const { rows } = read({ headers: 'X-Api-Key: second-secret', token: 'another-token' });
    assert.equal(rows.length, 1);
  });

  test('is not written over what another step wrote meanwhile', () => {
    const state = read();
    removeState(state);
    writeFileSync(FILE(), 'another');
    assert.match(writeState(state, []).join(), /could not be written, so the next run sends every/);
    assert.equal(readFileSync(FILE(), 'utf8'), 'another');
  });
});

describe('a state file is refused', () => {
  test('if it is something else', () => {
    mkdirSync(folder.at('cache'));
    for (const text of ['{"name":"my-package"}', 'text', ' ']) {
      writeFileSync(FILE(), text);
      assert.throws(() => read(), /contains something other than the state/);
    }
    rmSync(FILE());
    mkdirSync(FILE());
    assert.throws(() => read(), /cannot be read \(E/);
    writeFileSync(folder.at('plain'), 'a file');
    assert.throws(() => read({ 'state-file': 'plain/state.json' }), /cannot be read \(E/);
  });

  test('if it cannot be replaced', () => {
    const state = read();
    writeFileSync(folder.at('cache'), 'a file');
    assert.throws(() => removeState(state), /cannot be replaced \(E/);
  });

  test('if it, or a folder on its way, is a symbolic link', {
    skip: onWindows('needs rights'),
  }, () => {
    write([uploaded(folder.plan('a', 'a'))]);
    renameSync(FILE(), folder.at('elsewhere'));
    symlinkSync(folder.at('elsewhere'), FILE());
    assert.throws(() => read(), /is a symbolic link/);
    rmSync(FILE());
    renameSync(folder.at('cache'), folder.at('other'));
    symlinkSync(folder.at('other'), folder.at('cache'));
    assert.throws(() => read(), /is behind a symbolic link/);
    assert.throws(
      () => read({ 'state-file': 'cache/deep/state.json' }),
      /is behind a symbolic link/,
    );
  });
});

test('without the input, there is no state', () => {
  assert.deepEqual(readState(parsed(), folder.path), { state: undefined, warnings: [] });
});
