import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exactly } from '../../src/gate/exact-number.ts';
import { gateOf, judge } from '../../src/gate/judge.ts';
import type { Figure } from '../../src/gate/metrics.ts';
import { breachLine, formatFigure, judgementLine } from '../../src/report/figures.ts';
import { figures, parse } from '../gate/given.ts';

describe('a figure is in units for a reader', () => {
  const cases: readonly (readonly [metric: string, figure: Figure, text: string])[] = [
    ['cpu_used_pct', 93.2, '93.2 %'],
    ['mem_used_pct', 100, '100 %'],
    ['disk_used_pct', 33.333, '33.33 %'],
    ['mem_used', 1_610_612_736n, '1.5 GiB'],
    ['disk_free', 0n, '0 B'],
    ['mem_free', -2048n, '-2 KiB'],
    ['mem_used_mib', 1536n, '1.5 GiB'],
    ['mem_total_mib', 512n, '512 MiB'],
    ['mem_used', 2n ** 63n - 1n, '8 EiB'],
    ['cpu_count', 4n, '4'],
    ['load', 2.5, '2.5'],
  ];
  for (const [metric, figure, text] of cases) {
    test(`${metric} ${figure}`, () => assert.equal(formatFigure(metric, exactly(figure)), text));
  }
});

/** The line of the only condition's breach. */
function breachOf(line: string, of: Readonly<Record<string, Figure>>): string {
  const [breach] = gateOf({ failIf: [parse(line)], warnIf: [] }, [figures(of)]).breaches;
  return breach === undefined ? assert.fail(`${line} did not trip`) : breachLine(breach);
}

describe('a breach says condition, figure and limit', () => {
  test('of a percentage', () => {
    const line = breachOf('mem_used_pct.max > 90%', { mem_used_pct: 93.25 });
    assert.equal(line, 'mem_used_pct.max > 90%: it was 93.25 %, the limit is 90 %');
  });
  test('of bytes, and of MiB', () => {
    const free = breachOf('disk_free < 512MiB', { disk_free: 1024n });
    assert.equal(free, 'disk_free < 512MiB: it was 1 KiB, the limit is 512 MiB');
    const used = breachOf('mem_used_mib >= 2GB', { mem_used_mib: 2048n });
    assert.equal(used, 'mem_used_mib >= 2GB: it was 2 GiB, the limit is 1.9 GiB');
  });
  test('of a metric that is not reported, with those that are', () => {
    const line = breachOf('mem_cache > 1GiB', { ts: 1n, mem_used: 5n });
    assert.equal(
      line,
      'mem_cache > 1GiB cannot be judged: the sandbox does not report mem_cache, but mem_used, ts',
    );
  });
  test('of stats that could not be had', () => {
    const [breach] = gateOf({ failIf: [parse('mem_used > 1')], warnIf: [] }, []).breaches;
    assert.ok(breach !== undefined);
    assert.equal(breachLine(breach), 'mem_used > 1 cannot be judged: there are no stats');
  });
});

test('a condition that does not hold yet is shown with the figure seen', () => {
  const line = (condition: string) => judgementLine(judge(parse(condition), [figures({ mem_used: 2048n })]));
  assert.equal(line('mem_used < 1KiB'), 'mem_used < 1KiB does not hold: it was 2 KiB');
  assert.match(
    line('load < 1'),
    /^load < 1 cannot be judged: the sandbox does not report load, but mem_used$/,
  );
});
