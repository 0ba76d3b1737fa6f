import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import type { RawInputs } from '../../src/inputs/fields.ts';
import {
  claimState,
  readState,
  type State,
  type StateRow,
  type StateRows,
  writeState,
} from '../../src/upload/state-file.ts';
import { parsed } from '../inputs/given.ts';

const FOLDER = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'state-file-')));
after(() => rmSync(FOLDER, { recursive: true }));

const FILE = path.join(FOLDER, 'state.json');
const SHA = 'a'.repeat(64);
const ROW: StateRow = { target: 'a', size: 1, sha256: SHA };

function read(given: RawInputs = {}): State {
  const state = readState(parsed({ 'state-file': 'state.json', ...given }), FOLDER);
  return state ?? assert.fail('there is no state');
}

/** Writes rows like a run without a state, and returns the text. */
function write(rows: StateRows, given: RawInputs = {}): string {
  rmSync(FILE, { force: true });
  const state = read(given);
  claimState(state);
  assert.deepEqual(writeState(state, rows), []);
  return readFileSync(FILE, 'utf8');
}

function isIgnored(text: string): boolean {
  writeFileSync(FILE, text);
  const { rows, warnings } = read();
  assert.equal(rows.size, 0);
  return warnings.length === 1;
}

const NAME = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.constantFrom('__proto__', 'constructor', 'a"\\\n', '\ud800', '\u2028', 'files'),
);
const ROWS = fc
  .uniqueArray(
    fc.tuple(NAME, fc.record({ target: NAME, size: fc.nat() }, { noNullPrototype: true })),
    { selector: ([place]) => place, maxLength: 10 },
  )
  .map(rows => new Map(rows.map(([place, row]) => [place, { ...row, sha256: SHA }])));

describe('a state file', () => {
  test('reads as it was written, whatever the names', () => {
    fc.assert(
      fc.property(ROWS, rows => {
        write(rows);
        assert.deepEqual(new Map(read().rows), rows);
      }),
    );
  });

  test('is the same text whatever the order of its rows, with a line for each', () => {
    fc.assert(
      fc.property(ROWS, rows => {
        const text = write(rows);
        assert.equal(text, write(new Map([...rows].toReversed())));
        assert.equal(text.split('\n').length, Math.max(rows.size, 1) + 3);
      }),
    );
  });

  test('is ignored if it was cut, or is no state at all', () => {
    const text = write(new Map([['/a', ROW]]));
    for (let end = '{"schema":2,"scope":'.length; end < text.length - 1; end += 1)
      assert.ok(isIgnored(text.slice(0, end)), `cut at ${end}`);
    for (let end = 0; end < '{"schema":2,"scope":'.length; end += 1)
      assert.throws(() => isIgnored(text.slice(0, end)), /something other than the state/);
  });

  const text = write(new Map([['/a', ROW]]));
  const SPOILED = {
    'a row without a target': text.replace('"target":"a"', '"target":7'),
    'a row without a path': text.replace('"path":"/a"', '"path":7'),
    'a negative size': text.replace('"size":1', '"size":-1'),
    'a size that is no whole number': text.replace('"size":1', '"size":0.5'),
    'a size beyond what is exact': text.replace('"size":1', '"size":9007199254740992'),
    'a short digest': text.replace(SHA, SHA.slice(1)),
    'a digest with other digits': text.replace(SHA, SHA.toUpperCase()),
    'files that are no list': text.replace(/\[[\s\S]*\]/, '{}'),
    'a row twice': text.replace(/\{"path".*\}/, row => `${row},\n${row}`),
    'another schema': text.replace('"schema":2', '"schema":3'),
  };
  for (const [name, spoiled] of Object.entries(SPOILED)) {
    test(`is ignored with ${name}`, () => {
      assert.notEqual(spoiled, text);
      assert.ok(isIgnored(spoiled));
    });
  }

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
  for (const [input, value] of Object.entries(SCOPE)) {
    test(`is ignored with another ${input}`, () => {
      write(new Map([['/a', ROW]]));
      assert.equal(read().rows.size, 1);
      const { rows, warnings } = read({ [input]: value });
      assert.deepEqual([rows.size, warnings.length], [0, 1]);
    });
  }

  test('still holds with another token, and another value of a secret header', () => {
    write(new Map([['/a', ROW]]), { headers: 'X-Api-Key: first-secret' });
    const { rows } = read({ headers: 'X-Api-Key: second-secret', token: 'another-token' });
    assert.equal(rows.size, 1);
  });

  test('that another step wrote meanwhile is refused before the transfer', () => {
    write(new Map([['/a', ROW]]));
    const state = read();
    writeFileSync(FILE, write(new Map([['/b', ROW]])));
    assert.throws(() => claimState(state), /changed by another step that runs at the same time/);
  });

  test('that another step wrote during the transfer is removed, with a warning', () => {
    write(new Map([['/a', ROW]]));
    const state = read();
    claimState(state);
    assert.equal(existsSync(FILE), false);
    writeFileSync(FILE, text);
    assert.match(writeState(state, new Map()).join(), /used the state file .* at the same time/);
    assert.equal(existsSync(FILE), false);
  });
});
