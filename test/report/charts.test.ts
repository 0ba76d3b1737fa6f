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

/** The cells of the table of courses, row by row. */
function rowsOf(values: Parameters<typeof course>[0]): string[][] {
  return courseTable(course(values)).flatMap(({ html }) =>
    [...html.matchAll(/<tr><td>.*?<\/tr>/g)].map(([row]) =>
      [...row.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell = '']) => textOf(cell)),
    ),
  );
}

describe('there is no picture', () => {
  test('of fewer than three samples', () => {
    for (const values of [[], [1], [1, 2]]) {
      assert.deepEqual(timeCharts(cpuCourse(values), []), []);
      assert.deepEqual(courseTable(cpuCourse(values)), []);
    }
  });

  test('of what was not reported', () => {
    assert.deepEqual(timeCharts(cpuCourse([undefined, undefined, undefined]), []), []);
    assert.deepEqual(courseTable(cpuCourse([undefined, undefined, undefined])), []);
    assert.equal(timeCharts(cpuCourse([1, 2, 3]), []).length, 1);
  });
});

test('the table has a row for each of CPU, memory and disk, with its course and aggregates', () => {
  const total = { mem_total: 4 * GIB, disk_total: 10 * GIB, disk_used: GIB };
  const rows = rowsOf([
    { ...total, cpu_used_pct: 0, mem_used: GIB },
    { ...total, cpu_used_pct: 50, mem_used: 3 * GIB },
    { ...total, cpu_used_pct: 25.5, mem_used: 2 * GIB },
  ]);
  assert.deepEqual(rows, [
    ['CPU', '▁▅▃', '0 %', '25.17 %', '50 %', '25.5 %'],
    ['Memory', '▃▇▅', '25 %', '50 %', '75 %', '50 %'],
    ['Disk', '▁▁▁', '10 %', '10 %', '10 %', '10 %'],
  ]);
});

test('the sparkline spans 0 to 100 percent, and holds what lies beyond', () => {
  assert.equal(sparkline([0, 12.5, 25, 37.5, 50, 62.5, 75, 87.5, 100]), '▁▂▃▄▅▆▇██');
  assert.equal(sparkline([-5, 1000, 12.49]), '▁█▁');
  assert.equal(sparkline([]), '');
});

describe('a chart', () => {
  test('says what it shows, over what time, of how many samples', () => {
    const chart = cpuChart([1, 2.125, 3], ['cpu_used_pct > 80']);
    assert.match(
      chart,
      /^\*\*CPU\*\* in percent over seconds, 3 samples, with its limits in red\n\n```mermaid\n/,
    );
    const lines = ['  x-axis 0 --> 2', '  y-axis 0 --> 100'];
    const drawn = [/^ {2}line \[1\.00, 2\.1[23], 3\.00\]$/, /^ {2}line \[80\.00, 80\.00, 80\.00\]$/];
    const [style = '', kind, x, y, ...rest] = mermaidOf(chart).split('\n');
    assert.match(style, /^%%\{init: \{.*\}\}%%$/);
    assert.deepEqual([kind, x, y, rest.length], ['xychart-beta', ...lines, 2]);
    drawn.forEach((pattern, index) => {
      assert.match(rest[index] ?? '', pattern);
    });
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

  test('is one for each of CPU, memory and disk', () => {
    const reading = { cpu_used_pct: 1, mem_total: 8, mem_used: 2, disk_total: 4, disk_used: 1 };
    const charts = timeCharts(course([reading, reading, reading]), []);
    assert.deepEqual(
      charts.map(chart => chart.slice(0, 8)),
      ['**CPU** ', '**Memory', '**Disk**'],
    );
    assert.deepEqual(charts.flatMap(linesOf), [
      [1, 1, 1],
      [25, 25, 25],
      [25, 25, 25],
    ]);
  });

  test('is thinned to 60 points, and keeps the highest and the order', () => {
    for (const length of [60, 61, 119, 121, 1000]) {
      for (const peak of [0, 1, Math.floor(length / 2), length - 1]) {
        const values = Array.from({ length }, (_, index) => (index === peak ? 99 : (50 * index) / length));
        const [points = []] = linesOf(cpuChart(values));
        assert.equal(points.length, 60);
        assert.equal(Math.max(...points), 99);
        const others = points.filter(point => point !== 99);
        assert.deepEqual(
          others,
          others.toSorted((a, b) => a - b),
        );
      }
    }
  });

  test('stands in its time: gaps are bridged with the figure before, or the first one', () => {
    const [points] = linesOf(cpuChart([undefined, 1, undefined, undefined, 4, undefined]));
    assert.deepEqual(points, [1, 1, 1, 1, 4, 4]);
  });

  test('widens its axis for what lies beyond 0 to 100, and bounds what is absurd', () => {
    assert.match(cpuChart([5, 5, 5]), /y-axis 0 --> 100$/m);
    assert.match(cpuChart([5, 250.5, 5]), /y-axis 0 --> 251$/m);
    assert.match(cpuChart([-3.5, 0, 5]), /y-axis -4 --> 100$/m);
    const [points = []] = linesOf(cpuChart([1e300, -1e300, 5]));
    assert.ok(points.every(point => Math.abs(point) <= 1000));
    assert.equal(cpuChart([1e300, 1, 2]).includes('e+'), false);
  });

  test('does not end the run where a figure is a whole number beyond any float', () => {
    const huge = [`1${'0'.repeat(400)}`, 1, 2, 3];
    const [points = []] = linesOf(cpuChart(huge));
    assert.ok(points.every(Number.isFinite));
    assert.equal(courseTable(cpuCourse(huge)).length, 1);
  });
});
