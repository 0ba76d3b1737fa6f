import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { PlannedFile } from '../../src/files/plan.ts';
import { BATCH_BYTES, batchesOf, SMALL_BYTES, sizeInBatch } from '../../src/transfer/batches.ts';
import { plannedFile, plannedFiles } from './simulate.ts';

const KIB = 1024;
const MIXED = [
  plannedFile('a'),
  plannedFile('large', 300 * KIB),
  plannedFile('b'),
  plannedFile('largest', 400 * KIB),
  plannedFile('c'),
];

function batchFiles(planned: readonly PlannedFile[], filesPerRequest: number) {
  return batchesOf(planned.entries(), filesPerRequest).map(({ files }) => files);
}

describe('batchesOf', () => {
  const CASES = {
    'puts up to `files-per-request` small files into one batch': [
      plannedFiles(5),
      2,
      ['f0 f1', 'f2 f3', 'f4'],
    ],
    'puts each large file into a batch of its own, without ending the open batch': [
      MIXED,
      10,
      ['a b c', 'large', 'largest'],
    ],
    'makes no batches with `files-per-request: 1`': [plannedFiles(3), 1, ['f0', 'f1', 'f2']],
  } as const;
  for (const [name, [planned, filesPerRequest, expected]] of Object.entries(CASES))
    test(name, () => {
      const batches = batchFiles(planned, filesPerRequest);
      const names = batches.map(files => files.map(({ target }) => target).join(' '));
      assert.deepEqual(names, expected);
    });

  test('batches know their positions in the plan, and which file is streamed', () => {
    const batches = batchesOf(MIXED.entries(), 10);
    assert.deepEqual(
      batches.map(({ positions, isStreamed }) => [positions, isStreamed]),
      [
        [[0, 2, 4], false],
        [[1], true],
        [[3], true],
      ],
    );
  });

  test('large files, and names that parsers read differently, are never batched', () => {
    for (const target of ['ü', 'a"b', 'a\\b', 'a%b', 'a;b', 'a\nb', ' a', 'a ', 'a\u007f', ''])
      assert.equal(sizeInBatch(plannedFile(target)), undefined, JSON.stringify(target));
    for (const target of ['a//b', './a', '../a', 'a/./b', 'a/..'])
      assert.equal(sizeInBatch(plannedFile(target)), undefined, target);
    for (const target of [
      'a',
      'a b',
      "it's(1)!*~.txt",
      '/srv/a=b&c,d',
      '#+?$@^`{|}[]<>:',
      '.a/..b',
    ])
      assert.ok(sizeInBatch(plannedFile(target)), target);
    assert.notEqual(sizeInBatch(plannedFile('a', SMALL_BYTES)), undefined);
    assert.equal(sizeInBatch(plannedFile('a', SMALL_BYTES + 1)), undefined);
  });

  test('every file is in exactly one batch, and no batch exceeds its limits', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 300 * KIB }), { maxLength: 60 });
    const numbers = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(sizes, numbers, (all, filesPerRequest) => {
        const planned = all.map((size, index) => plannedFile(`f${index}`, size));
        const batches = batchFiles(planned, filesPerRequest);
        assert.deepEqual(new Set(batches.flat()), new Set(planned));
        assert.equal(batches.flat().length, planned.length);
        for (const batch of batches.filter(({ length }) => length > 1)) {
          assert.ok(batch.length <= filesPerRequest);
          const bytes = batch.map(each => sizeInBatch(each) ?? Number.NaN);
          assert.ok(bytes.reduce((sum, own) => sum + own, 0) <= BATCH_BYTES);
        }
      }),
    );
  });
});
