import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exactly } from '../../src/gate/exact-number.ts';
import { judge } from '../../src/gate/judge.ts';
import type { Figure } from '../../src/gate/metrics.ts';
import { breachLine, formatFigure, judgementLine } from '../../src/report/figures.ts';
import { figures, parse } from '../gate/given.ts';

describe('a figure is in units for a reader', () => {
  const bytes = ['mem_total', 'mem_used', 'mem_free', 'disk_total', 'disk_used', 'disk_free'];
  const cases: readonly (readonly [figure: Figure, text: string, metrics: readonly string[]])[] = [
    [33.333, '33.33 %', ['cpu_used_pct', 'mem_used_pct', 'disk_used_pct']],
    [-2048n, '-2 KiB', bytes],
    [1536n, '1.5 GiB', ['mem_total_mib', 'mem_used_mib']],
    [2.5, '2.5', ['cpu_count', 'ts', 'load', 'toString']],
  ];
  for (const [figure, text, metrics] of cases) {
    test(text, () => {
      for (const metric of metrics) assert.equal(formatFigure(metric, exactly(figure)), text);
    });
  }
});

const lines = (condition: string, of: Readonly<Record<string, Figure>>) => {
  const judgement = judge(parse(condition), [figures(of)]);
  return [breachLine(judgement), judgementLine(judgement)];
};

test('a breach says condition, figure and limit; what does not hold says what was seen', () => {
  assert.deepEqual(lines('mem_used_pct.max > 90%', { mem_used_pct: 93.25 }), [
    'mem_used_pct.max > 90%: it was 93.25 %, the limit is 90 %',
    'mem_used_pct.max > 90% does not hold: it was 93.25 %',
  ]);
  assert.deepEqual(lines('mem_used_mib >= 2GB', { mem_used_mib: 2048n }), [
    'mem_used_mib >= 2GB: it was 2 GiB, the limit is 1.9 GiB',
    'mem_used_mib >= 2GB does not hold: it was 2 GiB',
  ]);
});

test('what cannot be judged says which metrics are reported, or that there are no stats', () => {
  const unknown = 'mem_cache > 1GiB cannot be judged: the sandbox does not report mem_cache, but mem_used, ts';
  assert.deepEqual(lines('mem_cache > 1GiB', { ts: 1n, mem_used: 5n }), [unknown, unknown]);
  const nothing = judge(parse('mem_used > 1'), []);
  assert.equal(breachLine(nothing), 'mem_used > 1 cannot be judged: there are no stats');
});
