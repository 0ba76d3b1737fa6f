import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bodyOf } from '../../src/upload/upload-body.ts';
import { batchesOf, filesPerRequestOf } from '../../src/upload/upload-files.ts';
import { parseSyncInputs } from '../support/parse-inputs.ts';
import { plannedFile, plannedFiles } from '../support/simulated-transfer.ts';
import { openTempFolder } from '../support/temp-folder.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

test('files share requests if header-prefix is E2b or files-per-request is set, but never with a signature', () => {
  const counts = [
    { 'header-prefix': ' e2B ' },
    { 'header-prefix': 'E2b2' },
    { 'files-per-request': '7' },
    { 'files-per-request': '7', signature: 'abc' },
  ].map(given => filesPerRequestOf(parseSyncInputs(given)));
  assert.deepEqual(counts, [250, 1, 7, 1]);
});

test('small files are grouped, at most files-per-request each, and large ones go alone', () => {
  const large = plannedFile('large', 256 * KIB + 1);
  const files = [plannedFile('a'), large, plannedFile('b', 256 * KIB), ...plannedFiles(3)];
  const batches = batchesOf(files, 3).map(batch => batch.map(({ target }) => target).join(' '));
  assert.deepEqual(batches, ['a b f0', 'large', 'f1 f2']);
});

test('names that parsers read differently are never batched', () => {
  const isBatched = (target: string) =>
    batchesOf([plannedFile(target), plannedFile(target)], 2).length === 1;
  const odd = ['ü', 'a"b', 'a\\b', 'a%b', 'a;b', 'a\nb', ' a', 'a ', 'a\u007f', ''];
  for (const target of [...odd, 'a//b', './a', '../a', 'a/./b', 'a/..'])
    assert.ok(!isBatched(target), JSON.stringify(target));
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
      for (const batch of batches) {
        assert.ok(batch.length <= filesPerRequest);
        assert.ok(bodyOf(batch, false).length <= 1 * MIB);
      }
    }),
  );
});

test('a body with as many tiny files as fit into 1 MiB does not exceed it', () => {
  using folder = openTempFolder();
  const tiny = folder.writePlanned('a', '');
  const [first = assert.fail()] = batchesOf(Array(6000).fill(tiny), 6000);
  assert.ok(first.length < 6000);
  assert.ok(bodyOf(first, false).length <= 1 * MIB);
});
