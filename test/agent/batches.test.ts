import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { BATCH_BYTES, batchBytes, batchesOf } from '../../src/agent/batches.ts';
import { file, files } from '../upload/simulated.ts';

const KIB = 1024;
const MIXED = [
  file('a'),
  file('large', 300 * KIB),
  file('b'),
  file('largest', 400 * KIB),
  file('c'),
];

suite('batches', () => {
  const CASES = {
    'hold as many small files as may share a request': [files(5), 2, ['f0 f1', 'f2 f3', 'f4']],
    'leave large files alone': [MIXED, 10, ['a b c', 'large', 'largest']],
    'are single files if that is asked for': [files(3), 1, ['f0', 'f1', 'f2']],
    'leave out names that parsers read differently': [
      ['a', 'b"c', 'd', 'é', 'e', 'f;g'].map(name => file(name)),
      10,
      ['a d e', 'b"c', 'é', 'f;g'],
    ],
  } as const;
  for (const [name, [planned, filesPerRequest, expected]] of Object.entries(CASES))
    test(name, () => {
      const batches = batchesOf(planned, filesPerRequest);
      const names = batches.map(batch => batch.map(({ target }) => target).join(' '));
      assert.deepEqual(new Set(names), new Set(expected));
      if (!planned.some(({ target }) => target === 'é')) assert.equal(names[0], expected[0]);
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
          const bytes = batch.map(each => batchBytes(each) ?? Number.NaN);
          assert.ok(bytes.reduce((sum, own) => sum + own, 0) <= BATCH_BYTES);
        }
      }),
    );
  });
});
