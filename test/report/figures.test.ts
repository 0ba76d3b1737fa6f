import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresTable, formatFigure } from '../../src/report/figures.ts';
import type { MeasuredSection } from '../../src/report/measured-section.ts';
import { measuredSection, reading, stripHtml } from './build-report.ts';

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

/** Returns the cells of each table row. */
function rowsOf(section: MeasuredSection): string[][] {
  const [table] = figuresTable(section);
  return [...(table?.html ?? '').matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)].map(([, cell = '']) => stripHtml(cell)),
  );
}

test('the table of figures shows each condition with its mark', () => {
  const figures = { ...reading(1, 50), mem_used_mib: 2048, load: 1 };
  const section = measuredSection(
    [figures],
    ['mem_free < 1GiB', 'mem_used_mib >= 2000'],
    ['load == 1'],
  );
  assert.deepEqual(rowsOf(section), [
    ['', 'Now', 'Trips if'],
    ['CPU (4 cores)', '1 %', ''],
    ['Memory (4 GiB)', '2 GiB (50 %)', '✅ < 1 GiB free❌ >= 2 GiB'],
    ['Disk (20 GiB)', '2.5 GiB (12.5 %)', ''],
    ['load', '1', '⚠️ == 1'],
  ]);
});

test('the table of figures has no mark at a condition that was not judged', () => {
  const section = measuredSection(
    [reading(1, 50)],
    ['mem_used_pct > 90'],
    ['cpu_used_pct > 0'],
    true,
  );
  const [, cpu, memory] = rowsOf(section);
  assert.equal(cpu?.at(-1), '⚠️ > 0 %');
  assert.equal(memory?.at(-1), '> 90 % (not judged)');
});

test('the table of figures shows the figure of a condition with an aggregate', () => {
  const readings = [reading(9, 60), reading(1, 50), reading(5, 70)];
  const failIf = ['cpu_used_pct.mean > 4', 'mem_free.p95 < 1GiB'];
  const [head, cpu, memory] = rowsOf(measuredSection(readings, failIf, ['mem_used_pct.p50 > 75']));
  assert.deepEqual(head, ['', 'Peak', 'Trips if']);
  assert.deepEqual(cpu, ['CPU (4 cores)', '9 %', '❌ mean > 4 % (5 %)']);
  const conditions = '✅ p95 < 1 GiB free (2 GiB)✅ p50 > 75 % (60 %)';
  assert.deepEqual(memory, ['Memory (4 GiB)', '2.8 GiB (70 %)', conditions]);
});

test('the table of figures has a row for the cache only if it is judged', () => {
  const names = (failIf: readonly string[]) =>
    rowsOf(measuredSection([reading(1, 50)], failIf)).map(([name]) => name);
  assert.deepEqual(names([]), ['', 'CPU (4 cores)', 'Memory (4 GiB)', 'Disk (20 GiB)']);
  assert.equal(names(['mem_cache > 1GiB']).at(-1), 'mem_cache');
});

test('the table of figures names judged metrics that were not reported, and skips the others', () => {
  const unreported = ['load', 'not reported', '> 1 (not judged)'];
  assert.deepEqual(rowsOf(measuredSection([{ ts: 1 }], ['load > 1'])).slice(1), [unreported]);
  assert.deepEqual(rowsOf(measuredSection([{ ts: 1 }])), []);
  assert.deepEqual(rowsOf(measuredSection([{ cpu_used_pct: 1, cpu_count: 0 }])).slice(1), [
    ['CPU', '1 %'],
  ]);
});
