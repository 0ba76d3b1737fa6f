import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFigure, formatJudged } from '../../src/gate/describe.ts';
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
