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

describe('a state', () => {
  test('comes back as it was written', () => {
    fc.assert(
      fc.property(ENTRIES, entries => {
        assert.deepEqual(decodeState(encodeState(SCOPE, entries), SCOPE), entries);
      }),
    );
  });

  test('is the same text whatever the order of its entries, and has a line for each', () => {
    fc.assert(
      fc.property(ENTRIES, entries => {
        const text = encodeState(SCOPE, entries);
        assert.equal(text, encodeState(SCOPE, new Map([...entries].toReversed())));
        assert.equal(text.split('\n').length, Math.max(entries.size, 1) + 3);
        assert.ok(text.isWellFormed());
      }),
    );
  });

  test('that was cut anywhere is damaged', () => {
    const text = encodeState(SCOPE, new Map([['a', { path: '/a', size: 1, sha256: SHA }]]));
    for (let end = 0; end < text.length - 1; end += 1) {
      assert.equal(decodeState(text.slice(0, end), SCOPE), 'is damaged');
    }
  });

  test('of anything at all is damaged or of something else, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), text => {
        assert.equal(typeof decodeState(text, SCOPE), 'string');
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
    'a schema that is no number': textWith({ schema: '1' }),
    'an entry twice': textWith({
      files: ['a', 'a'].map(target => ({ target, path: '/a', size: 1, sha256: SHA })),
    }),
  })) {
    test(`with ${name}`, () => assert.equal(decodeState(text, SCOPE), 'is damaged'));
  }
});
