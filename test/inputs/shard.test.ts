import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parsed, problemOf } from './given.ts';

describe('shard', () => {
  for (const [value, expected] of [
    ['', undefined],
    ['1/1', { index: 1, count: 1 }],
    ['2/4', { index: 2, count: 4 }],
    [' 256/256\n', { index: 256, count: 256 }],
  ] as const) {
    test(`${JSON.stringify(value)} is accepted`, () => {
      assert.deepEqual(parsed({ shard: value }).upload.shard, expected);
    });
  }

  for (const value of ['0/4', '5/4', '1/0', '1/257', '1/1000', '2', '2/', '/4', '2 / 4', '-1/4', '1.5/4']) {
    test(`${JSON.stringify(value)} is refused`, () => {
      assert.deepEqual(problemOf({ shard: value }), {
        input: 'shard',
        message: `${JSON.stringify(value)} is not a share, counted from 1, of at most 256.`,
        example: 'shard: 2/4',
      });
    });
  }
});
