import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { courseTable, sparkline, timeCharts } from '../../src/report/charts.ts';
import { parse } from '../gate/given.ts';
import { textOf } from './blocks.ts';
import { course, cpuCourse, linesOf, mermaidOf } from './courses.ts';

const GIB = 1024 ** 3;

/** The only chart of a course of CPU. */
function cpuChart(values: readonly (number | string | undefined)[], conditions: readonly string[] = []) {
  const [chart, ...others] = timeCharts(cpuCourse(values), conditions.map(parse));
  assert.ok(chart !== undefined && others.length === 0);
  return chart;
}

test('there is no picture of fewer than three samples, nor of what was not reported', () => {
  for (const values of [[], [1, 2], [undefined, undefined, undefined]]) {
    assert.deepEqual(timeCharts(cpuCourse(values), []), []);
    assert.deepEqual(courseTable(cpuCourse(values)), []);
  }
});

test('the table has a row for each of CPU, memory and disk, with its course and aggregates', () => {
  const total = { mem_total: 4 * GIB, disk_total: 10 * GIB, disk_used: GIB };
  const [block] = courseTable(
    course([
      { ...total, cpu_used_pct: 0, mem_used: GIB },
      { ...total, cpu_used_pct: 50, mem_used: 3 * GIB },
      { ...total, cpu_used_pct: 25.5, mem_used: 2 * GIB },
    ]),
  );
  const rows = [...(block?.html ?? '').matchAll(/<tr><td>(.*?)<\/td><\/tr>/g)];
  const cells = rows.map(([, row = '']) => row.split('</td><td>').map(textOf));
  assert.deepEqual(cells, [
    ['CPU', '▁▅▃', '0 %', '25.17 %', '50 %', '25.5 %'],
    ['Memory', '▃▇▅', '25 %', '50 %', '75 %', '50 %'],
    ['Disk', '▁▁▁', '10 %', '10 %', '10 %', '10 %'],
  ]);
  const [long] = courseTable(cpuCourse(Array.from({ length: 100 }, () => 1)));
  assert.match(long?.html ?? '', />▁{30}</);
  assert.doesNotMatch(long?.html ?? '', /Memory/);
});

test('the sparkline spans 0 to 100 percent, and holds what lies beyond', () => {
  assert.equal(sparkline([0, 12.49, 12.5, 25, 50, 62.5, 87.4, 87.5, 100, -5, 1000]), '▁▁▂▃▅▆▇██▁█');
});

describe('a chart', () => {
  test('says what it shows, over what time, of how many samples', () => {
    const chart = cpuChart([1, 2.126, 3], ['cpu_used_pct > 80']);
    const title = '**CPU** in percent over seconds, 3 samples, with its limits in red\n\n```mermaid\n';
    assert.ok(chart.startsWith(title));
    const [style = '', ...lines] = mermaidOf(chart).split('\n');
    assert.match(style, /^%%\{init: \{.*\}\}%%$/);
    assert.deepEqual(lines, [
      'xychart-beta',
      '  x-axis 0 --> 2',
      '  y-axis 0 --> 100',
      '  line [1.00, 2.13, 3.00]',
      '  line [80.00, 80.00, 80.00]',
    ]);
    assert.doesNotMatch(cpuChart([1, 2, 3]), /limits/);
  });

  test('has an axis in seconds, minutes or hours, and never an empty one', () => {
    const axis = (ms: number) => {
      const samples = cpuCourse([1, 2, 3]).map((sample, index) => ({ ...sample, at: (index * ms) / 2 }));
      const [chart = ''] = timeCharts(samples, []);
      return [/ over (\w+),/.exec(chart)?.[1], /x-axis 0 --> (.*)$/m.exec(chart)?.[1]];
    };
    assert.deepEqual(axis(0), ['seconds', '0.1']);
    assert.deepEqual(axis(119_000), ['seconds', '119']);
    assert.deepEqual(axis(150_000), ['minutes', '2.5']);
    assert.deepEqual(axis(21_600_000), ['hours', '6']);
  });

  test('is thinned to 60 points, and keeps the highest and the order', () => {
    for (const length of [60, 61, 119, 1000]) {
      for (const peak of [0, 1, Math.floor(length / 2), length - 1]) {
        const values = Array.from({ length }, (_, index) => (index === peak ? 99 : (50 * index) / length));
        const [points = []] = linesOf(cpuChart(values));
        assert.equal(points.length, 60);
        assert.equal(Math.max(...points), 99);
        const others = points.filter(point => point !== 99);
        const ascending = others.toSorted((a, b) => a - b);
        assert.deepEqual(others, ascending);
      }
    }
  });

  test('stands in its time: gaps are bridged with the figure before, or the first one', () => {
    const [points] = linesOf(cpuChart([undefined, 1, undefined, undefined, 4, undefined]));
    assert.deepEqual(points, [1, 1, 1, 1, 4, 4]);
    const timed = (times: readonly number[]) => {
      const samples = cpuCourse([1, 2, 3]).map((sample, index) => ({ ...sample, at: times[index] ?? 0 }));
      return timeCharts(samples, []).map(linesOf);
    };
    assert.deepEqual(timed([5000, 0, 9000]), [[[2, 2, 3]]]);
    assert.deepEqual(timed([5000, 5000, 5000]), [[[3, 3, 3]]]);
  });

  test('widens its axis for what lies beyond 0 to 100, and bounds what is absurd', () => {
    assert.match(cpuChart([5, 250.5, 5]), /y-axis 0 --> 251$/m);
    assert.match(cpuChart([-3.5, 0, 5]), /y-axis -4 --> 100$/m);
    assert.deepEqual(linesOf(cpuChart([1e300, -1e300, 5])), [[1000, -1000, 5]]);
    // A whole number beyond any float.
    assert.deepEqual(linesOf(cpuChart([`1${'0'.repeat(400)}`, 1, 2, 3])), [[1, 1, 2, 3]]);
  });
});

describe('the limits of conditions are level lines', () => {
  const reading = { cpu_used_pct: 1, mem_total: 8 * GIB, mem_used: GIB, disk_total: 10 * GIB, disk_used: GIB };
  const before = { ...reading, mem_total: 4 * GIB };

  /** For each chart, the limits drawn in it. */
  const limits = (...conditions: string[]) =>
    timeCharts(course([before, reading, reading]), conditions.map(parse)).map(chart =>
      linesOf(chart)
        .slice(1)
        .map(([first, ...others]) => (others.every(other => other === first) ? first : others)),
    );

  test('those of percentages as they are, those of bytes by the last total', () => {
    const percentages = ['cpu_used_pct > 80%', 'cpu_used_pct.mean >= 70.5', 'mem_used_pct < 90'];
    assert.deepEqual(limits(...percentages, 'disk_used_pct == 5'), [[80, 70.5], [90], [5]]);
    const bytes = ['mem_used > 6GiB', 'mem_used_mib > 2GiB', 'mem_free < 1GiB', 'disk_used.max > 9.5GiB'];
    assert.deepEqual(limits(...bytes), [[], [75, 25, 87.5], [95]]);
  });

  test('each once, not many, and none that is not to be drawn', () => {
    const found = limits('cpu_used_pct > 80', 'cpu_used_pct >= 80%', 'cpu_count > 2', 'mem_used > 900GiB');
    assert.deepEqual(found, [[80], [], []]);
    const many = Array.from({ length: 40 }, (_, index) => `cpu_used_pct > ${50 + index}`);
    assert.equal(limits(...many)[0]?.length, 8);
    const none = { mem_total: 0, mem_used: 0, cpu_used_pct: 1 };
    const [chart = ''] = timeCharts(course([none, none, none]), [parse('mem_used > 1GiB')]);
    assert.equal(linesOf(chart).length, 1);
  });
});
