import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatBytes, formatCount, formatDuration, formatRate } from '../../src/text/units.ts';

const BYTES: readonly (readonly [bigint | number, string])[] = [
  [0, '0 B'],
  [1, '1 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [3500, '3.4 KiB'],
  [102_399, '100 KiB'],
  [1024 ** 2 - 1, '1 MiB'],
  [1024 ** 2, '1 MiB'],
  [12 * 1024 ** 3, '12 GiB'],
  [1024 ** 4, '1 TiB'],
  [2n ** 50n, '1 PiB'],
  [2n ** 63n - 1n, '8 EiB'],
  [2 ** 70, '1024 EiB'],
  [-2048, '-2 KiB'],
  [-2048n, '-2 KiB'],
];

describe('formatBytes', () => {
  for (const [bytes, expected] of BYTES) {
    test(`${bytes} is ${expected}`, () => assert.equal(formatBytes(bytes), expected));
  }
});

const DURATIONS: readonly (readonly [number, string])[] = [
  [0, '0 ms'],
  [80.4, '80 ms'],
  [999, '999 ms'],
  [999.6, '1 s'],
  [1000, '1 s'],
  [3400, '3.4 s'],
  [59_400, '59.4 s'],
  [59_600, '1 min'],
  [60_000, '1 min'],
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

describe('formatCount', () => {
  const cases = { '0 files': 0, '1 file': 1, '2 files': 2, '999 files': 999, '1,000 files': 1000 };
  for (const [expected, count] of Object.entries({ ...cases, '1,234,567 files': 1_234_567 })) {
    test(expected, () => assert.equal(formatCount(count, 'file'), expected));
  }
});

describe('formatRate', () => {
  test('bytes a second', () => assert.equal(formatRate(2 * 1024 ** 2, 500), '4 MiB/s'));
  test('no time at all is a number too', () => assert.equal(formatRate(1024, 0), '1000 KiB/s'));
  test('nothing sent', () => assert.equal(formatRate(0, 1000), '0 B/s'));
});
