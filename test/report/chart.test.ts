import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gateOf } from '../../src/gate/judge.ts';
import { drawChart } from '../../src/report/chart.ts';
import type { Sample } from '../../src/stats/sample.ts';
import { parse } from '../gate/given.ts';
import { textOf } from './blocks.ts';
import { course, cpuCourse, linesOf, mermaidOf, type Reading } from './courses.ts';

const GIB = 1024 ** 3;

/** The legend and chart of samples with these conditions. */
function drawn(
  samples: readonly Sample[],
  failIf: readonly string[] = [],
  warnIf: readonly string[] = [],
) {
  const rules = { failIf: failIf.map(parse), warnIf: warnIf.map(parse) };
  const [legend, chart, ...others] = drawChart(samples, gateOf(rules, []));
  assert.deepEqual(others, []);
  return { legend: textOf(legend?.html ?? ''), chart: chart?.html ?? '' };
}

const cpu = (values: readonly (number | string | undefined)[], ...failIf: string[]) =>
  drawn(cpuCourse(values), failIf);

/** The values, with the last one repeated up to ten. */
const ten = <T>(...values: readonly T[]): (T | undefined)[] =>
  Array.from({ length: 10 }, (_, index) => values[Math.min(index, values.length - 1)]);

const NONE: Readonly<Record<string, readonly (number | undefined)[]>> = {
  'no samples': [],
  'nine samples, whose figures say as much': ten(1).slice(1),
  'samples without CPU, memory and disk': ten(undefined),
};

describe('there is no chart of', () => {
  for (const [name, values] of Object.entries(NONE)) {
    test(name, () => assert.deepEqual(drawn(cpuCourse(values)), { legend: '', chart: '' }));
  }
});

test('one chart has CPU, memory and disk, each with its limits in its color, and the gaps', () => {
  const reading = { cpu_used_pct: 2.126, mem_total: 4, mem_used: 1, disk_total: 4, disk_used: 3 };
  const samples = course(
    Array.from({ length: 12 }, (_, index) => (index === 5 || index === 6 ? {} : reading)),
  );
  const { legend, chart } = drawn(samples, ['mem_used_pct > 90'], ['cpu_used_pct > 80']);
  const names =
    '🟦 CPU (straight line: limit 80 %) · 🟪 memory (straight line: limit 90 %) · 🟩 disk · grey: no samples';
  assert.equal(legend, `In percent: ${names}`);
  const [style = '', ...lines] = mermaidOf(chart).split('\n');
  assert.match(style, /"plotColorPalette":"#388bfd, #a371f7, #2da44e, #8c959f, #388bfd, #a371f7"/);
  const list = (value: string) => `[${Array(12).fill(value).join(', ')}]`;
  assert.deepEqual(lines, [
    'xychart-beta',
    '  accTitle: CPU, memory and disk over time',
    '  accDescr: From 00:16:40 UTC to 00:16:51 UTC, in percent',
    '  x-axis "seconds since 00:16:40 UTC, 11 s in all" 0 --> 11.00',
    '  y-axis 0 --> 100',
    `  line ${list('2.13')}`,
    `  line ${list('25.00')}`,
    `  line ${list('75.00')}`,
    `  bar [${[-100, -100, -100, -100, -100, 100, 100, -100, -100, -100, -100, -100].map(bar => bar.toFixed(2)).join(', ')}]`,
    `  line ${list('80.00')}`,
    `  line ${list('90.00')}`,
  ]);
  assert.equal(cpu(ten(1)).legend, 'In percent: 🟦 CPU');
});

test('a chart is thinned to 60 points, and keeps the highest and the order', () => {
  for (const length of [60, 61, 119, 1000]) {
    for (const peak of [0, 1, Math.floor(length / 2), length - 1]) {
      const values = Array.from({ length }, (_, index) =>
        index === peak ? 99 : (50 * index) / length,
      );
      const [points = []] = linesOf(cpu(values).chart);
      assert.equal(points.length, 60);
      assert.equal(Math.max(...points), 99);
      const others = points.filter(point => point !== 99);
      const ascending = others.toSorted((a, b) => a - b);
      assert.deepEqual(others, ascending);
    }
  }
});

const ABSENT = undefined;
const COURSES: Readonly<
  Record<string, readonly [values: readonly (number | string | undefined)[], gaps: string]>
> = {
  'no gap where all was read': [ten(1), ''],
  'no gap where one sample is missing or late': [ten(1, ABSENT, 1, ABSENT, 1), ''],
  'a gap where two are missing': [ten(1, ABSENT, ABSENT, 4), '0110000000'],
  'gaps at both ends': [[ABSENT, ABSENT, 1, 1, 1, 1, 1, ABSENT, ABSENT, ABSENT], '1100000111'],
};

describe('gaps are gaps:', () => {
  for (const [name, [values, gaps]] of Object.entries(COURSES)) {
    test(name, () => {
      const [, bars = ''] = /^ {2}bar \[(.*)\]$/m.exec(cpu(values).chart) ?? [];
      assert.equal(
        bars.replaceAll('-100.00', '0').replaceAll('100.00', '1').replaceAll(', ', ''),
        gaps,
      );
    });
  }
});

test('a chart stands in its time, also where a clock was put back', () => {
  const timed = (...times: readonly number[]) => {
    const samples = cpuCourse(ten(1, 2, 3)).map((sample, index) => ({
      ...sample,
      at: times[index] ?? 9000,
    }));
    return linesOf(drawn(samples).chart)[0];
  };
  assert.deepEqual(timed(0, 1000, 5000), [1, 2, 2, 2, 2, 3, 3, 3, 3, 3]);
  assert.deepEqual(timed(5000, 0, 9000), [2, 2, 2, 2, 2, 2, 2, 2, 2, 3]);
});

const AXES: Readonly<
  Record<string, readonly [values: readonly (number | string | undefined)[], axis: string]>
> = {
  'more than 100 percent': [ten(5, 250.5), '0 --> 251'],
  'less than 0': [ten(0, -3.5), '-4 --> 100'],
  'what is absurd': [ten(1e300, -1e300), '-1000 --> 1000'],
  'a whole number beyond any float': [ten<number | string>(`1${'0'.repeat(400)}`, 1), '0 --> 100'],
};

describe('the axis is wide enough for', () => {
  for (const [name, [values, axis]] of Object.entries(AXES)) {
    test(name, () => assert.match(cpu(values).chart, new RegExp(`y-axis ${axis}$`, 'm')));
  }
});

describe('the limits of conditions are level lines', () => {
  const reading = {
    cpu_used_pct: 1,
    mem_total: 8 * GIB,
    mem_used: GIB,
    disk_total: 10 * GIB,
    disk_used: GIB,
  };
  const before = { ...reading, mem_total: 4 * GIB };

  const limits = (
    failIf: readonly string[],
    readings: readonly (Reading | undefined)[] = ten<Reading>(before, reading),
  ) =>
    linesOf(drawn(course(readings.map(one => one ?? {})), failIf).chart)
      .slice(3)
      .map(([first, ...others]) => (others.every(other => other === first) ? first : others));

  test('those of percentages as they are, those of bytes by the last total', () => {
    const percentages = [
      'cpu_used_pct > 80%',
      'cpu_used_pct.mean >= 70.5',
      'mem_used_pct < 90',
      'disk_used_pct == 5',
    ];
    assert.deepEqual(limits(percentages), [80, 70.5, 90, 5]);
    const bytes = [
      'mem_used > 6GiB',
      'mem_used_mib > 2GiB',
      'mem_free < 1GiB',
      'disk_used.max > 9.5GiB',
    ];
    assert.deepEqual(limits(bytes), [75, 25, 87.5, 95]);
  });

  test('each once, not many, and none that is not to be drawn', () => {
    assert.deepEqual(
      limits(['cpu_used_pct > 80', 'mem_used_pct >= 80%', 'cpu_count > 2', 'mem_used > 900GiB']),
      [80, 80],
    );
    const many = Array.from({ length: 40 }, (_, index) => `cpu_used_pct > ${50 + index}`);
    assert.equal(limits(many).length, 4);
    assert.deepEqual(
      linesOf(
        drawn(course(ten({ mem_total: 0, cpu_used_pct: 1 }).map(one => one ?? {})), [
          'mem_used > 1GiB',
        ]).chart,
      ).length,
      1,
    );
  });
});
