import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  abbreviate,
  formatBytes,
  formatCount,
  formatDecimal,
  formatDuration,
  formatRate,
} from '../../src/text/format.ts';

const BYTES: readonly (readonly [number, string])[] = [
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 KiB'],
  [1023, '1 KiB'],
  [1536, '1.5 KiB'],
  [3500, '3.4 KiB'],
  [102_399, '100 KiB'],
  [1024 ** 2 - 1, '1 MiB'],
  [1024 ** 4, '1 TiB'],
  [2 ** 63 - 1, '8 EiB'],
  [2 ** 70, '1024 EiB'],
  [512.34 * 1024, '512.3 KiB'],
  [-2048, '-2 KiB'],
];

describe('formatBytes', () => {
  for (const [bytes, expected] of BYTES) {
    test(`${bytes} is ${expected}`, () => assert.equal(formatBytes(bytes), expected));
  }
});

const DURATIONS: readonly (readonly [number, string])[] = [
  [80.4, '80 ms'],
  [999, '999 ms'],
  [999.6, '1 s'],
  [3400, '3.4 s'],
  [59_400, '59.4 s'],
  [59_600, '1 min'],
  [125_000, '2 min 5 s'],
  [3_599_400, '59 min 59 s'],
  [3_599_600, '1 h'],
  [4_320_000, '1 h 12 min'],
  [90_000_000, '25 h'],
];

describe('formatDuration', () => {
  for (const [ms, expected] of DURATIONS) {
    test(`${ms} ms is ${expected}`, () => assert.equal(formatDuration(ms), expected));
  }
});

test('a count stands with its noun, thousands are parted', () => {
  const counts = [0, 1, 2, 999, 1000, 1_234_567].map(count => formatCount(count, 'file'));
  assert.deepEqual(counts, [
    '0 files',
    '1 file',
    '2 files',
    '999 files',
    '1,000 files',
    '1,234,567 files',
  ]);
});

test('a rate is in bytes a second, also in no time at all', () => {
  assert.equal(formatRate(2 * 1024 ** 2, 500), '4 MiB/s');
  assert.equal(formatRate(1024, 0), '1 MiB/s');
});

test('a decimal has at most two decimals', () => {
  const shown = [93.256, 33.3, 4].map(value => formatDecimal(value, 2));
  assert.deepEqual(shown, ['93.26', '33.3', '4']);
});

test('a list of the limit is kept whole, the end of a longer one is counted', () => {
  const cut = (...items: readonly string[]) => abbreviate(items, 2, count => `and ${count} more`);
  assert.deepEqual(cut(), []);
  assert.deepEqual(cut('a', 'b'), ['a', 'b']);
  assert.deepEqual(cut('c', 'd', 'e', 'f'), ['c', 'd', 'and 2 more']);
});
