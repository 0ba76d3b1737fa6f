import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { BATCH_BYTES, batchBytes } from '../../src/agent/body.ts';
import { batchesOf } from '../../src/upload/batches.ts';
import { file, files } from './transferring.ts';

const KIB = 1024;

function names(batches: ReturnType<typeof batchesOf>): string[] {
  return batches.map(batch => batch.map(({ target }) => target).join(' '));
}

describe('batches', () => {
  test('hold as many small files as may share a request', () => {
    const batches = batchesOf(files(5), { filesPerRequest: 2, inPlanOrder: false });
    assert.deepEqual(names(batches), ['f0 f1', 'f2 f3', 'f4']);
  });

  test('begin with the large files, the largest first', () => {
    const planned = [file('a'), file('large', 300 * KIB), file('b'), file('largest', 400 * KIB)];
    const batches = batchesOf(planned, { filesPerRequest: 10, inPlanOrder: false });
    assert.deepEqual(names(batches), ['largest', 'large', 'a b']);
  });

  test('do not begin with large files if they are to keep the order of the plan', () => {
    const planned = [file('a'), file('large', 300 * KIB), file('b'), file('c')];
    const batches = batchesOf(planned, { filesPerRequest: 10, inPlanOrder: true });
    assert.deepEqual(names(batches), ['a b c', 'large']);
  });

  test('leave out names that parsers read differently', () => {
    const planned = [file('a'), file('b"c'), file('d'), file('é'), file('e'), file('f;g')];
    const batches = batchesOf(planned, { filesPerRequest: 10, inPlanOrder: false });
    assert.deepEqual(names(batches), ['a d e', 'b"c', 'é', 'f;g']);
  });

  test('hold every file once, and at most a megabyte', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 300 * KIB }), { maxLength: 60 });
    fc.assert(
      fc.property(
        sizes,
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        (all, most, inPlanOrder) => {
          const planned = all.map((size, index) => file(`f${index}`, size));
          const batches = batchesOf(planned, { filesPerRequest: most, inPlanOrder });
          assert.deepEqual(new Set(batches.flat()), new Set(planned));
          assert.equal(batches.flat().length, planned.length);
          for (const batch of batches.filter(({ length }) => length > 1)) {
            assert.ok(batch.length <= most);
            const bytes = batch.map(each => batchBytes(each) ?? Number.NaN);
            assert.ok(bytes.reduce((sum, own) => sum + own, 0) <= BATCH_BYTES);
          }
        },
      ),
    );
  });
});
