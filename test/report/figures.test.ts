import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresTable } from '../../src/report/figures.ts';
import type { StatsResult } from '../../src/stats/stats.ts';
import { measured, reading, stripHtml } from '../support/build-report.ts';

/** Returns the cells of each table row. */
function rowsOf(section: StatsResult): string[][] {
  const [table] = figuresTable(section);
  return [...(table?.html ?? '').matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)].map(([, cell = '']) => stripHtml(cell)),
  );
}

test('the table of figures has a row for the cache only if it is judged', () => {
  const names = (failIf: readonly string[]) =>
    rowsOf(measured([reading(1, 50)], failIf)).map(([name]) => name);
  assert.deepEqual(names([]), ['', 'CPU (4 cores)', 'Memory (4 GiB)', 'Disk (20 GiB)']);
  assert.equal(names(['mem_cache > 1GiB']).at(-1), 'mem_cache');
});

test('the table of figures shows what tripped a warning, in the unit of the metric', () => {
  const figures = { mem_used: 2 ** 31, mem_used_mib: 2048 };
  const [, row] = rowsOf(measured([figures], [], ['mem_used_mib >= 2000']));
  assert.deepEqual(row, ['Memory', '2 GiB', '⚠️ < 2000 MiB']);
});

test('the table of figures names judged metrics that were not reported, and skips the others', () => {
  const unreported = ['load', 'not reported', '≤ 1 (not judged)'];
  assert.deepEqual(rowsOf(measured([{ ts: 1 }], ['load > 1'])).slice(1), [unreported]);
  assert.deepEqual(rowsOf(measured([{ ts: 1 }])), []);
  const [, ...rows] = rowsOf(measured([{ cpu_used_pct: 1, cpu_count: 0 }]));
  assert.deepEqual(rows, [['CPU', '1 %']]);
});
