import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGGREGATES } from '../../src/gate/metrics.ts';

/** Returns the numbers from `count` down to 1. */
const downFrom = (count: number) => Array.from({ length: count }, (_, index) => count - index);

const PERCENTILES: Readonly<
  Record<string, readonly [figures: readonly number[], p50: number, p95: number]>
> = {
  '1 sample': [[7], 7, 7],
  '2 samples': [[9, 7], 7, 9],
  '3 samples': [[10, 9, -2], 9, 10],
  'duplicate figures': [[5, 1, 5, 1, 5], 5, 5],
  'fractions and exponents': [[0.5, 1e21, 1e-7, 20, 3], 3, 1e21],
};

for (const [name, [figures, p50, p95]] of Object.entries(PERCENTILES)) {
  test(`p50 and p95 of ${name} are ${p50} and ${p95}`, () => {
    const { p50: median, p95: high } = AGGREGATES;
    assert.deepEqual([median(figures), high(figures)], [p50, p95]);
  });
}

test('percentiles leave the figures in the order of the samples', () => {
  const figures = [3, 1, 2];
  AGGREGATES.p95(figures);
  assert.deepEqual(figures, [3, 1, 2]);
});

test('at least p % of the figures are at or below a percentile, and fewer are below any smaller figure', () => {
  for (let count = 1; count <= 300; count += 1) {
    const figures = downFrom(count);
    for (const [name, percent] of [
      ['p50', 50],
      ['p95', 95],
    ] as const) {
      const rank = AGGREGATES[name](figures);
      assert.ok(rank * 100 >= percent * count && (rank - 1) * 100 < percent * count);
    }
  }
});
