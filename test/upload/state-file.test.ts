import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import type { PlannedFile } from '../../src/files/targets.ts';
import type { RawInputs } from '../../src/inputs/parsers.ts';
import {
  clearState,
  compareWithState,
  readState,
  writeState,
} from '../../src/upload/state-file.ts';
import { fileRow, type StoredRow } from '../../src/upload/upload-files.ts';
import { parseSyncInputs } from '../support/parse-inputs.ts';
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

function stored(file: PlannedFile): StoredRow<'unchanged'> {
  const sha256 = hash('sha256', readFileSync(file.realPath));
  return { ...fileRow(file), status: 'unchanged', path: `/home/user/${file.target}`, sha256 };
}

/** Replaces the state file like a run that stored these files. Returns its text. */
function replaceState(files: readonly StoredRow[], given: RawInputs = {}): string {
  const state = read(given);
  clearState(state);
  assert.equal(readFileSync(stateFile(), 'utf8'), '');
  writeState(state, files);
  return readFileSync(stateFile(), 'utf8');
}

test('a file is unchanged if target, size and SHA-256 are the same, and orphaned if its path is in no plan', async () => {
  const files = ['a', 'b', 'c', 'd', 'e', 'f'].map(name => folder.writePlanned(name, name));
  const [a = assert.fail(), b = assert.fail()] = files;
  replaceState(files.map(file => stored(file)));
  const other = folder.writePlanned('c', 'C');
  const longer = folder.writePlanned('d', 'd!');
  const elsewhere = folder.writePlanned('/home/user/e', 'e');
  const toSend = [other, longer, elsewhere];
  assert.deepEqual(await compareWithState([a, b, ...toSend], read(), NEVER), {
    toSend,
    unchanged: [a, b].map(stored),
    orphaned: ['/home/user/f'],
  });
});

test('a file that changes before it is compared with the state is to be sent, and only that file', async () => {
  const [a, b] = [folder.writePlanned('a', 'a'), folder.writePlanned('b', 'b')];
  replaceState([stored(a), stored(b)]);
  writeFileSync(a.realPath, 'longer than found');
  const { toSend, unchanged } = await compareWithState([a, b], read(), NEVER);
  assert.deepEqual([toSend, unchanged.length], [[a], 1]);
});

test('a cancelled search reports neither unchanged nor orphaned files', async () => {
  const [a, b] = [folder.writePlanned('a', 'a'), folder.writePlanned('b', 'b')];
  replaceState([stored(a), stored(b)]);
  const changes = await compareWithState([a], read(), AbortSignal.abort());
  assert.deepEqual(changes, { toSend: [a], unchanged: [], orphaned: [] });
});

test('a truncated or damaged state file is ignored, with a warning', () => {
  const text = replaceState([stored(folder.writePlanned('a', 'a'))]);
  const cut = Array.from({ length: text.length - 2 }, (_, index) => text.slice(0, index + 1));
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

test('a state file that is a link is written where the link leads', {
  skip: skipOnWindows('Wine has no links'),
}, () => {
  mkdirSync(folder.at('cache'));
  symlinkSync(folder.at('elsewhere.json'), stateFile());
  replaceState([]);
  assert.match(readFileSync(folder.at('elsewhere.json'), 'utf8'), /^\{"schema":/);
});

test('a state file that cannot be written fails before anything is sent', () => {
  writeFileSync(folder.at('cache'), 'a file');
  assert.throws(() => clearState(read()), /^Error: E[A-Z]+: .*cache/);
});
