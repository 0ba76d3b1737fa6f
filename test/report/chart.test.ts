import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawCharts } from '../../src/report/chart.ts';
import { NOT_MEASURED } from '../../src/report/measured-section.ts';
import type { Report } from '../../src/report/report.ts';
import { judged, reading, report } from './build-report.ts';
import { EXAMPLE_REPORTS } from './example-reports.ts';
import { stripHtml } from './strip-html.ts';

/** Returns the legend, all charts, and the numbers of each line of the first: metrics, then limits. */
function drawn({ measured = NOT_MEASURED }: Report) {
  const [legend, ...charts] = drawCharts(measured).map(({ html }) => html);
  const [chart = ''] = charts;
  const series = [...chart.matchAll(/^ {2}line \[(.*)\]$/gm)];
  return {
    legend: stripHtml(legend ?? ''),
    chart,
    charts,
    series: series.map(([, list = '']) => list.split(', ').map(Number)),
  };
}

const cpu = (values: readonly (number | undefined)[], failIf: readonly string[] = []) => {
  const { samples, ...others } = judged(
    values.map(value => ({ cpu_used_pct: value ?? 0 })),
    failIf,
  );
  return report({ ...others, samples: samples.filter((_, index) => values[index] !== undefined) });
};

const ten = (value: number) => Array.from({ length: 10 }, () => value);

test('ten samples have a chart, even if the last comes early', () => {
  const { measured = NOT_MEASURED } = cpu(ten(1));
  const samples = measured.samples.map((sample, index) =>
    index === 9 ? { ...sample, at: sample.at - 800 } : sample,
  );
  assert.equal(drawn({ ...report(), measured: { ...measured, samples } }).charts.length, 1);
});

test('there is no chart below ten samples, or without CPU, memory and disk', () => {
  assert.equal(drawn(cpu(ten(1).slice(1))).chart, '');
  assert.equal(drawn(report(judged(ten(1).map(ts => ({ ts }))))).chart, '');
});

test('the chart has CPU, memory and disk, with level lines in their colors', () => {
  const given = judged(
    ten(0).map(() => reading(2.126, 25, 75)),
    ['mem_used_pct > 90', 'mem_free < 1GiB', 'disk_used_pct.mean > 50', 'disk_used_pct.p95 > 60'],
    ['cpu_used_pct > 80', 'load > 5'],
  );
  const { legend, chart, series } = drawn(report(given));
  assert.equal(
    legend,
    'In percent: 🟦 CPU (level line: limit 80 %) · 🟪 memory (level line: limit 90 %) · 🟩 disk',
  );
  assert.deepEqual(
    series.map(([first]) => first),
    [2.13, 25, 75, 80, 90],
  );
  assert.match(chart, /"#388bfd, #a371f7, #2da44e, #388bfd, #a371f7"/);
  assert.match(chart, /x-axis "seconds since 09:05:00 UTC" 0 --> 9\.00\n {2}y-axis 0 --> 100\n/);
});

test('1,000 samples become 60 points, each the highest of several', () => {
  const values = Array.from({ length: 1000 }, (_, index) => (index === 501 ? 99 : index / 20));
  const [points = []] = drawn(cpu(values)).series;
  assert.equal(points.length, 60);
  assert.equal(Math.max(...points), 99);
});

const none = undefined;

/** The values of the samples, one a second, and the CPU line of each chart. */
const GAPS: Readonly<Record<string, readonly [(number | undefined)[], lines: number[][]]>> = {
  'one missing sample repeats the one before it': [[...ten(1), none, 2], [[...ten(1), 1, 2]]],
  'two missing samples begin a new chart': [
    [...ten(1), none, none, ...ten(2)],
    [ten(1), ten(2)],
  ],
  'there is no chart of fewer than ten samples before a gap': [
    [1, none, none, ...ten(2)],
    [ten(2)],
  ],
};

for (const [name, [values, lines]] of Object.entries(GAPS)) {
  test(name, () => {
    const { charts } = drawn(cpu(values));
    const drawnLines = charts.map(chart =>
      /line \[(.*)\]/.exec(chart)?.[1]?.split(', ').map(Number),
    );
    assert.deepEqual(drawnLines, lines);
  });
}

test('the legend says that there are several charts, and that only the first four are shown', () => {
  const one = drawn(cpu(ten(1)));
  const six = drawn(cpu(Array.from({ length: 6 }, () => [...ten(1), none, none]).flat()));
  assert.equal(one.legend, 'In percent: 🟦 CPU');
  assert.match(six.legend, /CPU · a chart for each time without a gap · and 2 more; the report/);
  assert.equal(six.charts.length, 4);
});

test('the chart of a sandbox that died ends with its last sample', () => {
  const { measured = NOT_MEASURED, ...others } = cpu(ten(5));
  const from = measured.samples[0]?.at ?? 0;
  const given = { ...others, measured: { ...measured, monitored: { from, to: from + 60_000 } } };
  const { chart, series } = drawn(given);
  assert.match(chart, /0 --> 9\.00/);
  assert.deepEqual(series, [ten(5)]);
});

const cases = { '0 --> 251': 250.5, '0 --> 100': -3.5 };
for (const [axis, value] of Object.entries(cases)) {
  test(`the vertical axis is ${axis} for a peak of ${value}`, () =>
    assert.match(drawn(cpu([...ten(0), value])).chart, new RegExp(`y-axis ${axis}$`, 'm')));
}

test('Mermaid parses the charts of all example reports', async () => {
  const { default: mermaid } = await import('mermaid');
  for (const given of Object.values(EXAMPLE_REPORTS)) {
    const { chart } = drawn(given);
    // Without a browser, Mermaid cannot clean texts.
    const text = chart.replace(/^```mermaid\n|\n```$|^ {2}acc.*\n|"[a-z]+ since .*"/gm, '');
    if (text !== '') assert.equal((await mermaid.parse(text)).diagramType, 'xychart');
  }
});
