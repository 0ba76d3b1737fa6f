import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGGREGATES, formatFigure } from '../../src/gate/metrics.ts';

test('p50 and p95 use the nearest rank, for 1 to 300 samples in any order', () => {
  for (let count = 1; count <= 300; count += 1) {
    const figures = Array.from({ length: count }, (_, index) => count - index);
    for (const percent of [50, 95] as const) {
      const rank = AGGREGATES[`p${percent}`](figures);
      assert.ok(rank * 100 >= percent * count && (rank - 1) * 100 < percent * count);
    }
    assert.equal(figures[0], count, 'the figures keep their order');
  }
});

test('a figure is formatted in the unit of its metric', () => {
  const cases: readonly (readonly [metric: string, figure: number, text: string])[] = [
    ['cpu_used_pct', 33.333, '33.3 %'],
    ['mem_free', -2048, '-2 KiB'],
    ['mem_total_mib', 1536, '1.5 GiB'],
    ['custom_mib', 1024, '1 GiB'],
    ['load', 2.5, '2.5'],
    ['toString', 1, '1'],
  ];
  for (const [metric, figure, text] of cases) assert.equal(formatFigure(metric, figure), text);
});
