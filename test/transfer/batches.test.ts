import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { BATCH_BYTES, batchesOf, SMALL_BYTES, sizeInBatch } from '../../src/transfer/batches.ts';
import { file, files } from './simulated.ts';

const KIB = 1024;
const MIXED = [
  file('a'),
  file('large', 300 * KIB),
  file('b'),
  file('largest', 400 * KIB),
  file('c'),
];

describe('batches', () => {
  const CASES = {
    'hold as many small files as may share a request': [files(5), 2, ['f0 f1', 'f2 f3', 'f4']],
    'leave large files alone': [MIXED, 10, ['a b c', 'large', 'largest']],
    'are single files if that is asked for': [files(3), 1, ['f0', 'f1', 'f2']],
  } as const;
  for (const [name, [planned, filesPerRequest, expected]] of Object.entries(CASES))
    test(name, () => {
      const batches = batchesOf(planned, filesPerRequest);
      const names = batches.map(batch => batch.map(({ target }) => target).join(' '));
      assert.deepEqual(names, expected);
    });

  test('have files alone that are large, or whose names parsers read differently', () => {
    for (const target of ['ü', 'a"b', 'a\\b', 'a%b', 'a;b', 'a\nb', ' a', 'a ', 'a\u007f', ''])
      assert.equal(sizeInBatch(file(target)), undefined, JSON.stringify(target));
    for (const target of ['a//b', './a', '../a', 'a/./b', 'a/..'])
      assert.equal(sizeInBatch(file(target)), undefined, target);
    for (const target of [
      'a',
      'a b',
      "it's(1)!*~.txt",
      '/srv/a=b&c,d',
      '#+?$@^`{|}[]<>:',
      '.a/..b',
    ])
      assert.ok(sizeInBatch(file(target)), target);
    assert.notEqual(sizeInBatch(file('a', SMALL_BYTES)), undefined);
    assert.equal(sizeInBatch(file('a', SMALL_BYTES + 1)), undefined);
  });

  test('hold every file once, and at most a megabyte', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 300 * KIB }), { maxLength: 60 });
    const numbers = fc.integer({ min: 1, max: 20 });
    fc.assert(
      fc.property(sizes, numbers, (all, filesPerRequest) => {
        const planned = all.map((size, index) => file(`f${index}`, size));
        const batches = batchesOf(planned, filesPerRequest);
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
