import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGGREGATES } from '../../src/gate/metrics.ts';

test('percentiles compare figures as numbers, and do not sort their input in place', () => {
  const figures = [0.5, 1e21, 1e-7, 20, 3, -2];
  const before = [...figures];
  assert.deepEqual([AGGREGATES.p50(figures), AGGREGATES.p95(figures)], [0.5, 1e21]);
  assert.deepEqual(figures, before);
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
