import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGGREGATES, formatFigure } from '../../src/gate/metrics.ts';

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

test('a figure is formatted in the unit of its metric', () => {
  const cases: readonly (readonly [metric: string, figure: number, text: string])[] = [
    ['cpu_used_pct', 33.333, '33.3 %'],
    ['mem_free', -2048, '-2 KiB'],
    ['mem_cache', 1024, '1 KiB'],
    ['mem_total_mib', 1536, '1.5 GiB'],
    ['load', 2.5, '2.5'],
    ['toString', 1, '1'],
  ];
  for (const [metric, figure, text] of cases) assert.equal(formatFigure(metric, figure), text);
});
