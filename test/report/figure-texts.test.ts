import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '../../src/gate/judge.ts';
import { formatFigure, judgementLine } from '../../src/report/figures.ts';
import { parse } from '../gate/parse-condition.ts';

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

test('a condition that cannot be judged says why', () => {
  assert.match(judgementLine(judge(parse('load < 5'), [])), /^`load < 5` cannot be judged: /);
});
