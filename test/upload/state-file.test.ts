import assert from 'node:assert/strict';
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
import type { StoredFile } from '../../src/upload/store-files.ts';
import { parseSyncInputs } from '../support/parse-inputs.ts';
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

function stored(file: PlannedFile, path = `/home/user/${file.target}`): StoredFile {
  return { file, path, sha256: hash('sha256', readFileSync(file.realPath)) };
}

/** Replaces the state file like a run that stored these files. Returns its text. */
function replaceState(files: readonly StoredFile[], given: RawInputs = {}): string {
  const state = read(given);
  removeState(state);
  assert.equal(existsSync(stateFile()), false);
  writeState(state, files);
  return readFileSync(stateFile(), 'utf8');
}

/** Compares files with the state, and asserts that each is either sent or unchanged. */
async function changes(files: readonly PlannedFile[], cancel = NEVER) {
  const { toSend, unchanged, orphaned } = await compareWithState(files, read(), cancel);
  const known = new Set(unchanged.map(({ file }) => file));
  assert.deepEqual(
    toSend,
    files.filter(file => !known.has(file)),
  );
  return { unchanged: unchanged.map(({ file }) => file.target), orphaned };
}

test('a file is unchanged if its target, size and SHA-256 are the same', async () => {
  const [a, b, c] = ['a', 'b', 'c'].map(name => folder.writePlanned(name, name));
  assert.ok(a && b && c);
  replaceState([stored(a), stored(b), stored(c)]);
  const other = folder.writePlanned('b', 'B');
  const longer = folder.writePlanned('c', 'c!');
  const added = folder.writePlanned('d', 'a');
  assert.deepEqual(await compareWithState([a, other, longer, added], read(), NEVER), {
    toSend: [other, longer, added],
    unchanged: [{ status: 'unchanged', ...stored(a) }],
    orphaned: [],
  });
});

test('a cancelled search reports neither unchanged nor orphaned files', async () => {
  const [a, b] = [folder.writePlanned('a', 'a'), folder.writePlanned('b', 'b')];
  replaceState([stored(a), stored(b)]);
  assert.deepEqual(await changes([a], AbortSignal.abort()), { unchanged: [], orphaned: [] });
});

test('a file that has left the build is orphaned in the next run, and then forgotten', async () => {
  const [a, b] = [folder.writePlanned('a', 'a'), folder.writePlanned('b', 'b')];
  replaceState([stored(a), stored(b)]);
  assert.deepEqual((await changes([a])).orphaned, ['/home/user/b']);
  replaceState([stored(a)]);
  assert.deepEqual((await changes([a])).orphaned, []);
});

test('a path is not orphaned if another file is stored there', async () => {
  const [a, b] = [folder.writePlanned('a', 'a'), folder.writePlanned('/home/user/a', 'b')];
  replaceState([stored(a)]);
  assert.deepEqual((await changes([b])).orphaned, []);
  replaceState([stored(b, '/home/user/a')]);
  assert.deepEqual((await changes([b])).unchanged, ['/home/user/a']);
});

test('a truncated or damaged state file is ignored, with a warning', () => {
  const text = replaceState([stored(folder.writePlanned('a', 'a'))]);
  const cut = Array.from({ length: text.length - 21 }, (_, index) => text.slice(0, index + 20));
  const damaged = [
    text.replace('"target":"a"', '"target":7'),
    text.replace('"size":1', '"size":"1"'),
    text.replace('"sha256":"', '"x":"'),
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
  test(`a state file is ignored, with a warning, if it is of another scope [${input}]`, () => {
    replaceState([stored(folder.writePlanned('a', 'a'))]);
    const { rows, warnings } = read({ [input]: value });
    assert.deepEqual([rows.length, warnings.length], [0, 1]);
  });

test('a state file is used even if the token, a secret header or the spelling of headers differs', () => {
  const headers = 'X-Api-Key: first-secret\nX-Tenant: a';
  replaceState([stored(folder.writePlanned('a', 'a'))], { headers });
  const others = 'x-tenant: a\nX-Api-Key: second-secret';
  const { rows } = read({ headers: others, token: 'another-token' });
  assert.equal(rows.length, 1);
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

test('a state file below a file cannot be replaced, which fails before anything is sent', () => {
  writeFileSync(folder.at('cache'), 'a file');
  const state = read();
  assert.throws(() => removeState(state), /^Error: E[A-Z]+: .*cache/);
});
