import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatBytes,
  formatCount,
  formatDecimal,
  formatDuration,
  formatRate,
  listSome,
} from '../../src/text/format.ts';

const BYTES: readonly (readonly [number, string])[] = [
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 KiB'],
  [3500, '3.4 KiB'],
  [1024 ** 2 - 1, '1 MiB'],
  [1024 ** 4, '1 TiB'],
  [2 ** 70, '1024 EiB'],
  [-2048, '-2 KiB'],
];

test('formatBytes rounds to a tenth of the largest unit, which begins at 1,000', () => {
  for (const [bytes, expected] of BYTES) assert.equal(formatBytes(bytes), expected);
});

const DURATIONS: readonly (readonly [number, string])[] = [
  [80.4, '80 ms'],
  [999.6, '1 s'],
  [3400, '3.4 s'],
  [59_600, '1 min'],
  [125_000, '2 min 5 s'],
  [3_599_600, '1 h'],
  [4_320_000, '1 h 12 min'],
  [90_000_000, '25 h'],
];

test('formatDuration shows at most two units', () => {
  for (const [ms, expected] of DURATIONS) assert.equal(formatDuration(ms), expected);
});

test('formatCount adds the noun, its plural and separators of thousands', () => {
  const counts = [0, 1, 2, 999, 1000, 1_234_567].map(count => formatCount(count, 'file'));
  const expected = '0 files|1 file|2 files|999 files|1,000 files|1,234,567 files';
  assert.deepEqual(counts, expected.split('|'));
});

test('formatRate shows bytes per second, and treats 0 ms as 1 ms', () => {
  assert.equal(formatRate(2 * 1024 ** 2, 500), '4 MiB/s');
  assert.equal(formatRate(1024, 0), '1 MiB/s');
});

test('formatDecimal rounds, and omits trailing zeros', () => {
  const shown = [93.256, 33.3, 4].map(value => formatDecimal(value, 2));
  assert.deepEqual(shown, ['93.26', '33.3', '4']);
});

test('listSome joins names and counts the omitted ones', () => {
  const names = ['a', 'b', 'c'];
  const lists = [3, 2, 1].map(limit => listSome(names, limit));
  assert.deepEqual(lists, ['a, b, c', 'a, b, and 1 more', 'a and 2 more']);
  assert.deepEqual([listSome([], 1), listSome(['a'], 1)], ['', 'a']);
});
