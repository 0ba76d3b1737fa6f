import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import type { PlannedFile } from '../../src/files/targets.ts';
import type { RawInputs } from '../../src/inputs/parsers.ts';
import {
  compareWithState,
  readState,
  removeState,
  writeState,
} from '../../src/upload/state-file.ts';
import type { FileResult } from '../../src/upload/upload-files.ts';
import { parseSyncInputs } from '../support/parse-inputs.ts';
import { notAttempted } from '../support/simulated-transfer.ts';
import { skipOnWindows } from '../support/system.ts';
import { openTempFolder } from '../support/temp-folder.ts';

const NEVER = new AbortController().signal;

let folder = openTempFolder();
afterEach(() => {
  folder[Symbol.dispose]();
  folder = openTempFolder();
});

function read(given: RawInputs = {}) {
  const inputs = parseSyncInputs({ 'state-file': 'cache/state.json', ...given });
  return readState(inputs, folder.path) ?? assert.fail('there is no state');
}

const stateFile = () => folder.at('cache/state.json');

function uploaded(file: PlannedFile, path = `/home/user/${file.target}`): FileResult {
  const sha256 = hash('sha256', readFileSync(file.realPath));
  return { status: 'uploaded', file, attempts: 1, durationMs: 1, path, sha256 };
}

/** Replaces the state file like a run with these results. Returns its text, or '' if it is gone. */
function replaceState(results: readonly FileResult[], given: RawInputs = {}): string {
  const state = read(given);
  removeState(state);
  assert.deepEqual(writeState(state, results), []);
  return existsSync(stateFile()) ? readFileSync(stateFile(), 'utf8') : '';
}

async function changes(files: readonly PlannedFile[], cancel = NEVER) {
  const results = await compareWithState(files.map(notAttempted), read(), cancel);
  assert.deepEqual(
    results.files.map(({ file }) => file),
    files,
  );
  const unchanged = results.files.filter(({ status }) => status === 'unchanged');
  return { unchanged: unchanged.map(({ file }) => file.target), orphaned: results.orphaned };
}

test('a file is unchanged if its target, size and SHA-256 are the same', async () => {
  const [a, b, c] = ['a', 'b', 'c'].map(name => folder.writePlanned(name, name));
  assert.ok(a && b && c);
  replaceState([uploaded(a), uploaded(b), uploaded(c)]);
  const other = folder.writePlanned('b', 'B');
  const longer = folder.writePlanned('c', 'c!');
  assert.deepEqual(await changes([a, other, longer, folder.writePlanned('d', 'a')]), {
    unchanged: ['a'],
    orphaned: [],
  });
  const { files } = await compareWithState([notAttempted(other), notAttempted(a)], read(), NEVER);
  const stored = { path: '/home/user/a', sha256: hash('sha256', 'a') };
  assert.deepEqual(files, [notAttempted(other), { status: 'unchanged', file: a, ...stored }]);
});

test('an unreadable file is not unchanged, and a cancelled search reports neither unchanged nor orphaned files', async () => {
  const [a, b] = [folder.writePlanned('a', 'a'), folder.writePlanned('b', 'b')];
  replaceState([uploaded(a), uploaded(b)]);
  assert.deepEqual(await changes([a], AbortSignal.abort()), { unchanged: [], orphaned: [] });
  rmSync(a.realPath);
  assert.deepEqual((await changes([a])).unchanged, []);
});

test('a file that has left the build is orphaned in every later run', async () => {
  const [a, b] = [folder.writePlanned('a', 'a'), folder.writePlanned('b', 'b')];
  replaceState([uploaded(a), uploaded(b)]);
  for (let run = 0; run < 2; run += 1) {
    assert.deepEqual((await changes([a])).orphaned, ['/home/user/b']);
    replaceState([uploaded(a)]);
  }
});

test('a file that comes back to the build is sent again, since users may have deleted it', async () => {
  const [a, b] = [folder.writePlanned('a', 'a'), folder.writePlanned('b', 'b')];
  replaceState([uploaded(a), uploaded(b)]);
  replaceState([uploaded(a)]);
  assert.deepEqual((await changes([a, b])).unchanged, ['a']);
});

test('a path is not orphaned if another file is stored there', async () => {
  const [a, b] = [folder.writePlanned('a', 'a'), folder.writePlanned('/home/user/a', 'b')];
  replaceState([uploaded(a)]);
  assert.deepEqual((await changes([b])).orphaned, []);
  replaceState([uploaded(b, '/home/user/a')]);
  assert.deepEqual((await changes([b])).unchanged, ['/home/user/a']);
});

test('no state file is written if a file failed or was not attempted', () => {
  const [a, b] = [folder.writePlanned('a', 'a'), folder.writePlanned('b', 'b')];
  replaceState([uploaded(a)]);
  const error = { kind: 'busy', status: 429, message: 'It is busy.', hint: 'Wait.' } as const;
  const failed = { status: 'failed', file: b, attempts: 1, durationMs: 1, error } as const;
  for (const last of [failed, notAttempted(b)]) {
    assert.equal(replaceState([uploaded(a), last]), '');
    assert.equal(read().rows.length, 0);
    replaceState([uploaded(a)]);
  }
});

test('targets with quotes, line breaks or the name __proto__ survive in the state file', async () => {
  const files = ['a', '"\\\n\u2028', '__proto__'].map(name => folder.writePlanned(name, name));
  replaceState(files.map(file => uploaded(file)));
  const targets = files.map(({ target }) => target);
  assert.deepEqual(await changes(files), { unchanged: targets, orphaned: [] });
  assert.equal(read().rows.find(row => row.target === '__proto__')?.path, '/home/user/__proto__');
});

test('a truncated or damaged state file is ignored, with a warning', () => {
  const text = replaceState([uploaded(folder.writePlanned('a', 'a'))]);
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
    writeFileSync(stateFile(), spoiled);
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
  test(`a state file is ignored, with a warning, if ${input} is another`, () => {
    replaceState([uploaded(folder.writePlanned('a', 'a'))]);
    const { rows, warnings } = read({ [input]: value });
    assert.deepEqual([rows.length, warnings.length], [0, 1]);
  });

test('a state file is used even if the token or a secret header has another value', () => {
  replaceState([uploaded(folder.writePlanned('a', 'a'))], { headers: 'X-Api-Key: first-secret' });
  const { rows } = read({ headers: 'X-Api-Key: second-secret', token: 'another-token' });
  assert.equal(rows.length, 1);
});

test('the state file of another step is not overwritten', () => {
  const state = read();
  removeState(state);
  writeFileSync(stateFile(), 'another');
  assert.match(writeState(state, []).join(), /could not be written, so the next run sends every/);
  assert.equal(readFileSync(stateFile(), 'utf8'), 'another');
});

test('state-file must not name a file that is no state file, or a folder', () => {
  mkdirSync(folder.at('cache'));
  for (const text of ['{"name":"my-package"}', 'text', ' ']) {
    writeFileSync(stateFile(), text);
    assert.throws(() => read(), /contains something other than the state/);
  }
  rmSync(stateFile());
  mkdirSync(stateFile());
  assert.throws(() => read(), /is not a regular file/);
});

test('state-file must not be a pipe or a device, which might be read for ever', {
  skip: skipOnWindows('files cannot be pipes'),
}, () => {
  mkdirSync(folder.at('cache'));
  execFileSync('mkfifo', [stateFile()]);
  for (const file of [stateFile(), '/dev/zero'])
    assert.throws(() => read({ 'state-file': file }), /is not a regular file/);
});

test('a state file below a file cannot be replaced, which is an input error', () => {
  writeFileSync(folder.at('cache'), 'a file');
  const state = read();
  assert.throws(() => removeState(state), /^InputError: state-file: .* cannot be replaced \(E/);
});

test('without state-file, there is no state', () => {
  assert.equal(readState(parseSyncInputs(), folder.path), undefined);
});
