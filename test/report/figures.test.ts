import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresTable, formatFigure, formatJudged } from '../../src/report/figures.ts';
import type { MeasuredSection } from '../../src/report/stats-section.ts';
import { measuredSection, reading, stripHtml } from '../support/build-report.ts';
import { parse } from '../support/parse-condition.ts';

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

test('a figure that would look equal to its limit is shown in full, with its unit', () => {
  const cases: readonly (readonly [condition: string, figure: number, text: string])[] = [
    ['cpu_used_pct > 90', 90.04, '90.04 %'],
    ['cpu_used_pct > 90', 90, '90 %'],
    ['cpu_used_pct > 90', 90.1, '90.1 %'],
    ['mem_free < 512MiB', 536_870_911, '536870911 B'],
    ['mem_used_mib > 512', 512.01, '512.01 MiB'],
  ];
  for (const [condition, figure, text] of cases)
    assert.equal(formatJudged(parse(condition), figure), text);
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
