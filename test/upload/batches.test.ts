import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bodyOf } from '../../src/upload/store-files.ts';
import { batchesOf, filesPerRequestOf } from '../../src/upload/upload-files.ts';
import { parseSyncInputs } from '../support/parse-inputs.ts';
import { plannedFile, plannedFiles } from '../support/simulated-transfer.ts';
import { openTempFolder } from '../support/temp-folder.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const MIXED = [
  plannedFile('a'),
  plannedFile('large', 256 * KIB + 1),
  plannedFile('b', 256 * KIB),
  plannedFile('largest', 400 * KIB),
  plannedFile('c'),
];

/** By header-prefix, signature and files-per-request: the resulting number of files per request. */
const FILES_PER_REQUEST = [
  [' e2B ', '', 'auto', 250],
  ['E2b2', '', '', 1],
  ['E2b', 'abc', '7', 1],
  ['', '', '7', 7],
] as const;

test('files share requests if header-prefix is E2b or files-per-request is set, but never with a signature', () => {
  for (const [prefix, signature, count, expected] of FILES_PER_REQUEST) {
    const given = { 'header-prefix': prefix, signature, 'files-per-request': count };
    assert.equal(filesPerRequestOf(parseSyncInputs(given)), expected);
  }
});

test('small files are grouped, at most files-per-request each, and large ones go alone', () => {
  const namesOf = (batches: ReturnType<typeof batchesOf>) =>
    batches.map(files => files.map(({ target }) => target).join(' '));
  assert.deepEqual(namesOf(batchesOf(plannedFiles(5), 2)), ['f0 f1', 'f2 f3', 'f4']);
  assert.deepEqual(namesOf(batchesOf(MIXED, 10)), ['a b c', 'large', 'largest']);
});

test('names that parsers read differently are never batched', () => {
  const isBatched = (target: string) =>
    batchesOf([plannedFile(target), plannedFile(target)], 2).length === 1;
  for (const target of ['ü', 'a"b', 'a\\b', 'a%b', 'a;b', 'a\nb', ' a', 'a ', 'a\u007f', ''])
    assert.ok(!isBatched(target), JSON.stringify(target));
  for (const target of ['a//b', './a', '../a', 'a/./b', 'a/..'])
    assert.ok(!isBatched(target), target);
  for (const target of ['a', 'a b', "it's(1)!*~.txt", '/srv/a=b&c,d', '#+?$@^`{|}[]<>:', '.a/..b'])
    assert.ok(isBatched(target), target);
});

test('every file is in exactly one batch, and no body of a batch exceeds 1 MiB', () => {
  using folder = openTempFolder();
  const contents = [0, 1, 100 * KIB, 250 * KIB, 256 * KIB, 300 * KIB].map(size =>
    folder.writePlanned('content', Buffer.alloc(size)),
  );
  const file = fc.record({
    content: fc.constantFrom(...contents),
    target: fc.string({ unit: fc.constantFrom('a', 'b', '/c'), minLength: 1, maxLength: 900 }),
  });
  const files = fc.array(file, { maxLength: 60 });
  const numbers = fc.integer({ min: 1, max: 250 });
  fc.assert(
    fc.property(files, numbers, (all, filesPerRequest) => {
      const planned = all.map(({ content, target }) => ({ ...content, target }));
      const batches = batchesOf(planned, filesPerRequest);
      assert.deepEqual(new Set(batches.flat()), new Set(planned));
      assert.equal(batches.flat().length, planned.length);
      for (const batch of batches.filter(({ length }) => length > 1)) {
        assert.ok(batch.length <= filesPerRequest);
        const { length } = bodyOf(batch, false);
        assert.ok(length <= 1 * MIB, `${length} bytes`);
      }
    }),
  );
});

test('a body with as many tiny files as fit into 1 MiB does not exceed it', () => {
  using folder = openTempFolder();
  const tiny = folder.writePlanned('a', '');
  const [first = assert.fail()] = batchesOf(
    Array.from({ length: 6000 }, () => tiny),
    6000,
  );
  assert.ok(first.length < 6000);
  assert.ok(bodyOf(first, false).length <= 1 * MIB);
});
