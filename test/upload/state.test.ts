import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { FileResult } from '../../src/upload/result.ts';
import {
  afterTransfer,
  decodeState,
  type Entries,
  encodeState,
  type StateScope,
  without,
} from '../../src/upload/state.ts';
import { BUSY } from '../report/reports.ts';
import { file } from './transferring.ts';

const SCOPE: StateScope = { sandboxId: 'i1', baseUrl: 'https://sandbox.example.com', username: 'user', shard: '' };
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
    'an entry twice': textWith({ files: ['a', 'a'].map(target => ({ target, path: '/a', size: 1, sha256: SHA })) }),
  })) {
    test(`with ${name}`, () => assert.equal(decodeState(text, SCOPE), 'is damaged'));
  }
});

/** Entries by target, each at the path given. */
function entriesAt(paths: Readonly<Record<string, string>>): Entries {
  return new Map(Object.entries(paths).map(([target, path]) => [target, { path, size: 3, sha256: `of ${target}` }]));
}

const PLACES = { x: '/home/user/x', 'app/x': '/home/user/app/x', '/srv/x': '/srv/x', y: '/home/user/y' };
const HOME = entriesAt(PLACES);

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

const KNOWN = [...HOME.keys()];
const NOT_TRIED: FileResult = { status: 'not-attempted', file: file('x'), reason: 'the job was cancelled' };

const ENDS: readonly (readonly [name: string, results: readonly FileResult[], known: readonly string[]])[] = [
  ['what was stored is known', [uploaded('y', '/home/user/y'), uploaded('z', '/home/user/z')], [...KNOWN, 'z']],
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
  ['of two at one place neither is known', [uploaded('z', '/h/z'), uploaded('/h/z', '/h/z')], KNOWN],
  ['nor of two behind a link', [uploaded('z', '/h/z'), uploaded('link/a', '/h/z')], KNOWN],
  ['nor one that another may have overwritten in part', [uploaded('z', '/h/z'), failed('/h/z')], KNOWN],
  ['nor where that is known by a link', [uploaded('link/a', '/home/user/y'), failed('y')], ['x', 'app/x', '/srv/x']],
];

describe('after a transfer', () => {
  for (const [name, results, known] of ENDS) {
    test(name, () => assert.deepEqual([...afterTransfer(HOME, results).keys()], known));
  }

  test('what was stored is known by what was sent, and not where that was not hashed', () => {
    const result = uploaded('y', '/home/user/y');
    assert.deepEqual(afterTransfer(HOME, [result]).get('y'), { path: '/home/user/y', size: 3, sha256: 'new' });
    const { sha256: _, ...unhashed } = { ...result, sha256: '' };
    assert.equal(afterTransfer(HOME, [unhashed]).get('y'), undefined);
  });
});
