import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGGREGATES } from '../../src/gate/metrics.ts';

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
    assert.deepEqual([AGGREGATES.p50(figures), AGGREGATES.p95(figures)], [p50, p95]);
  });
}

test('percentiles do not sort their input in place', () => {
  const figures = [3, 1, 2];
  AGGREGATES.p95(figures);
  assert.deepEqual(figures, [3, 1, 2]);
});

test('p50 and p95 use the nearest rank, for 1 to 300 samples', () => {
  for (let count = 1; count <= 300; count += 1) {
    const figures = Array.from({ length: count }, (_, index) => count - index);
    for (const percent of [50, 95] as const) {
      const rank = AGGREGATES[`p${percent}`](figures);
      assert.ok(rank * 100 >= percent * count && (rank - 1) * 100 < percent * count);
    }
  }
});
