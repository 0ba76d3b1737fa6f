import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { timeCharts } from '../../src/report/charts.ts';
import { parse } from '../gate/given.ts';
import { course, linesOf } from './courses.ts';

const GIB = 1024 ** 3;

describe('the limits of conditions are level lines', () => {
  const reading = {
    cpu_used_pct: 1,
    mem_total: 8 * GIB,
    mem_used: GIB,
    disk_total: 10 * GIB,
    disk_used: GIB,
  };
  const limits = (...conditions: string[]) =>
    timeCharts(course([reading, reading, reading]), conditions.map(parse)).map(chart =>
      linesOf(chart)
        .slice(1)
        .map(([first, ...others]) => (others.every(other => other === first) ? first : others)),
    );

  test('those of percentages as they are', () => {
    const found = limits(
      'cpu_used_pct > 80%',
      'cpu_used_pct.mean >= 70.5',
      'mem_used_pct < 90',
      'disk_used_pct == 5',
    );
    assert.deepEqual(found, [[80, 70.5], [90], [5]]);
  });

  test('those of used bytes by the total', () => {
    assert.deepEqual(limits('mem_used > 6GiB', 'disk_used.max > 9.5GiB'), [[], [75], [95]]);
  });

  test('each once, and none that is not to be drawn', () => {
    const found = limits('cpu_used_pct > 80', 'cpu_used_pct >= 80%', 'cpu_count > 2', 'mem_used > 900GiB');
    assert.deepEqual(found, [[80], [], []]);
  });

  test('not many, and within the axis', () => {
    const many = Array.from({ length: 40 }, (_, index) => `cpu_used_pct > ${100 + index}`);
    const [chart = ''] = timeCharts(course([reading, reading, reading]), many.map(parse));
    assert.ok(linesOf(chart).length <= 10);
    const top = Number(/y-axis 0 --> (\d+)/.exec(chart)?.[1]);
    assert.ok(Math.max(...linesOf(chart).flat()) <= top);
  });

  test('none by a total of 0', () => {
    const none = { mem_total: 0, mem_used: 0, cpu_used_pct: 1 };
    const [chart = ''] = timeCharts(course([none, none, none]), [parse('mem_used > 1GiB')]);
    assert.equal(linesOf(chart).length, 1);
  });
});
