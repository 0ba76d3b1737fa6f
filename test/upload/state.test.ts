import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { decodeState, type Entries, encodeState, type StateScope } from '../../src/upload/state.ts';

const SCOPE: StateScope = {
  sandboxId: 'i1',
  baseUrl: 'https://sandbox.example.com',
  username: 'user',
  shard: '',
};
const SHA = 'a'.repeat(64);

const NAME = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.constantFrom('__proto__', 'constructor', 'a"\\\n', '\ud800', '\u2028', 'files'),
);
const ENTRY = fc.record(
  {
    path: NAME,
    size: fc.oneof(fc.nat(), fc.constantFrom(0, Number.MAX_SAFE_INTEGER)),
    sha256: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytes => Buffer.from(bytes).toString('hex')),
  },
  { noNullPrototype: true },
);
const ENTRIES: fc.Arbitrary<Entries> = fc
  .uniqueArray(fc.tuple(NAME, ENTRY), { selector: ([target]) => target, maxLength: 10 })
  .map(entries => new Map(entries));

function textWith(fields: object, entry: object = {}): string {
  const file = { target: 'a', path: '/a', size: 1, sha256: SHA, ...entry };
  return JSON.stringify({ schema: 1, ...SCOPE, files: [file], ...fields });
}

const LONG = 1024 * 1024;

describe('a state', () => {
  test('comes back as it was written', () => {
    fc.assert(
      fc.property(ENTRIES, entries => {
        assert.deepEqual(decodeState(encodeState(SCOPE, entries, LONG), SCOPE), entries);
      }),
    );
  });

  test('is never longer than what is read, and holds as many entries as fit', () => {
    const entries = new Map(
      Array.from({ length: 99 }, (_, index) => [`${100 + index}ü`, { path: '/ü', size: 1, sha256: SHA }]),
    );
    const whole = Buffer.byteLength(encodeState(SCOPE, entries, LONG));
    for (const most of [whole - 200, 2000, 300]) {
      const text = encodeState(SCOPE, entries, most);
      assert.ok(Buffer.byteLength(text) <= most && Buffer.byteLength(text) > most - 250);
      assert.ok(decodeState(text, SCOPE) instanceof Map);
    }
  });

  test('is the same text whatever the order of its entries, and has a line for each', () => {
    fc.assert(
      fc.property(ENTRIES, entries => {
        const text = encodeState(SCOPE, entries, LONG);
        assert.equal(text, encodeState(SCOPE, new Map([...entries].toReversed()), LONG));
        assert.equal(text.split('\n').length, Math.max(entries.size, 1) + 3);
        assert.ok(text.isWellFormed());
      }),
    );
  });

  test('that was cut anywhere is damaged, or no state at all', () => {
    const text = encodeState(SCOPE, new Map([['a', { path: '/a', size: 1, sha256: SHA }]]), LONG);
    for (let end = 0; end < text.length - 1; end += 1) {
      const isState = end > '{"schema":1,"sandboxId":'.length;
      assert.equal(decodeState(text.slice(0, end), SCOPE), isState ? 'is damaged' : undefined);
    }
  });

  test('of anything else is none, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), text => {
        assert.equal(decodeState(text, SCOPE), undefined);
      }),
    );
  });
});

describe('it does not hold', () => {
  const other = (fields: object) => decodeState(textWith(fields), SCOPE);

  test('for another scope', () => {
    assert.equal(other({ sandboxId: 'i2' }), 'is of another sandbox, "i2" and not "i1"');
    assert.equal(
      other({ baseUrl: 'https://x' }),
      'is of another base URL, "https://x" and not "https://sandbox.example.com"',
    );
    assert.equal(other({ username: '' }), 'is of another user, "" and not "user"');
    assert.equal(other({ shard: '2/4' }), 'is of another shard, "2/4" and not ""');
  });

  test('in another schema, whatever else is in it', () => {
    assert.equal(other({ schema: 2, files: undefined }), 'is of schema 2, and this version of the action knows 1');
  });

  for (const [name, text] of Object.entries({
    'an entry without a target': textWith({}, { target: undefined }),
    'an entry without a path': textWith({}, { path: 7 }),
    'a negative size': textWith({}, { size: -1 }),
    'a size that is no whole number': textWith({}, { size: 0.5 }),
    'a size beyond what is exact': textWith({}, { size: 2 ** 53 }),
    'a size as text': textWith({}, { size: '1' }),
    'a short digest': textWith({}, { sha256: 'a'.repeat(63) }),
    'a digest with other digits': textWith({}, { sha256: 'A'.repeat(64) }),
    'files that are no list': textWith({ files: {} }),
    'a scope that is no text': textWith({ sandboxId: 1 }),
    'an entry twice': textWith({
      files: ['a', 'a'].map(target => ({ target, path: '/a', size: 1, sha256: SHA })),
    }),
  })) {
    test(`with ${name}`, () => assert.equal(decodeState(text, SCOPE), 'is damaged'));
  }
});
