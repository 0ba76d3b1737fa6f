import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gateOf } from '../../src/gate/judge.ts';
import { figuresTable } from '../../src/report/figures.ts';
import { parse } from '../gate/parse-condition.ts';
import { judged, reading } from './build-report.ts';
import { stripHtml } from './strip-html.ts';

/** Returns the cells of each row. */
function rows(...given: Parameters<typeof judged>): string[][] {
  const text = figuresTable(judged(...given))
    .map(({ html }) => html)
    .join('');
  return [...text.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)].map(([, cell = '']) => stripHtml(cell)),
  );
}

test('the table of figures shows each condition with its mark', () => {
  const figures = { ...reading(1, 50), mem_used_mib: 2048, load: 1 };
  const table = rows([figures], ['mem_free < 1GiB', 'mem_used_mib >= 2000'], ['load == 1']);
  const shown = table.filter(([name]) => name === 'Memory (4 GiB)' || name === 'load');
  assert.deepEqual(shown, [
    ['Memory (4 GiB)', '2 GiB (50 %)', '✅ < 1 GiB free❌ >= 2 GiB'],
    ['load', '1', '⚠️ == 1 (warn)'],
  ]);
});

test('the table of figures has no mark at a condition that was not judged', () => {
  const { samples } = judged([reading(1, 50)]);
  const rules = { failIf: [parse('mem_used_pct > 90')], warnIf: [parse('cpu_used_pct > 0')] };
  const text = figuresTable({ samples, gate: gateOf(rules, samples, true) })
    .map(({ html }) => html)
    .join('');
  assert.match(text, />&gt;&nbsp;90&nbsp;% \(not judged\)</);
  assert.match(text, />⚠️&nbsp;&gt;&nbsp;0&nbsp;% \(warn\)</);
});

test('the table of figures shows a mean if a condition judges it', () => {
  const [head, , memory] = rows([reading(1, 50), reading(3, 60)], ['mem_used_pct.mean > 50']);
  assert.deepEqual(head, ['', 'Peak', 'Mean', 'Trips if']);
  assert.deepEqual(memory, [
    'Memory (4 GiB)',
    '2.4 GiB (60 %)',
    '2.2 GiB (55 %)',
    '❌ mean > 50 %',
  ]);
});

test('the table of figures has a column for each percentile that a condition judges', () => {
  const readings = [reading(9, 60), reading(1, 50), reading(5, 70)];
  const [head, cpu, memory] = rows(readings, ['cpu_used_pct.p50 > 4'], ['mem_used_pct.p95 > 75']);
  assert.deepEqual(head, ['', 'Peak', 'p50', 'p95', 'Trips if']);
  assert.deepEqual(cpu, ['CPU (4 cores)', '9 %', '5 %', '', '❌ p50 > 4 %']);
  assert.deepEqual(memory?.slice(2), ['', '2.8 GiB (70 %)', '✅ p95 > 75 % (warn)']);
});

test('the table of figures shows a percentile of free memory as free', () => {
  const readings = [reading(1, 25), reading(1, 50), reading(1, 75)];
  const judgedFree = ['mem_free.p95 < 1GiB', 'mem_free.p95 < 2GiB'];
  const [, , memory] = rows(readings, judgedFree);
  assert.deepEqual(memory?.slice(1, 3), ['3 GiB (75 %)', '3 GiB free']);
  const [, , both] = rows(readings, [...judgedFree, 'mem_used_pct.p95 > 80']);
  assert.equal(both?.[2], '3 GiB free3 GiB (75 %)');
});

test('the table of figures has a row for the cache only if it is judged', () => {
  const names = (failIf: readonly string[]) => rows([reading(1, 50)], failIf).map(([name]) => name);
  assert.deepEqual(names([]), ['', 'CPU (4 cores)', 'Memory (4 GiB)', 'Disk (20 GiB)']);
  assert.equal(names(['mem_cache > 1GiB']).at(-1), 'mem_cache');
});

test('the table of figures names judged metrics that were not reported, and skips the others', () => {
  assert.deepEqual(rows([{ ts: 1 }], ['load > 1']).at(-1), [
    'load',
    'not reported',
    '> 1 (not judged)',
  ]);
  assert.deepEqual(rows([{ ts: 1 }]), []);
  assert.deepEqual(rows([{ cpu_used_pct: 1, cpu_count: 0 }]).at(-1), ['CPU', '1 %']);
});
