import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBytes, formatCount, formatDuration, formatRate } from '../../src/text/format.ts';
import { listSome } from '../../src/text/shorten.ts';

test('formatBytes rounds to a tenth of the largest unit, which begins at 1,000', () => {
  const shown = [0, 999, 1000, 3500, 999.96 * 1024, 2 ** 70, -2048].map(formatBytes);
  const expected = '0 B|999 B|1 KiB|3.4 KiB|1 MiB|1024 EiB|-2 KiB';
  assert.deepEqual(shown, expected.split('|'));
});

test('formatDuration shows at most two units', () => {
  const inSeconds = [0.0804, 0.9996, 3.4, 59.6, 125, 3599.6, 4320, 90_000];
  const shown = inSeconds.map(seconds => formatDuration(1000 * seconds));
  const expected = '80 ms|1 s|3.4 s|1 min|2 min 5 s|1 h|1 h 12 min|25 h';
  assert.deepEqual(shown, expected.split('|'));
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

test('listSome joins names and counts the omitted ones', () => {
  const names = ['a', 'b', 'c'];
  const lists = [3, 2, 1].map(limit => listSome(names, limit));
  assert.deepEqual(lists, ['a, b, c', 'a, b, and 1 more', 'a and 2 more']);
});
