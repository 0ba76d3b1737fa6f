import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawCharts } from '../../src/report/chart.ts';
import { NOT_MEASURED } from '../../src/report/measured-section.ts';
import type { Report } from '../../src/report/report.ts';
import { judged, report } from './build-report.ts';
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

test('1,000 samples become 59 points, each the highest of several', () => {
  const values = Array.from({ length: 1000 }, (_, index) => (index === 501 ? 99 : index / 20));
  const [points = []] = drawn(cpu(values)).series;
  assert.equal(points.length, 59);
  assert.equal(Math.max(...points), 99);
});

const none = undefined;

/** The values of the samples, one a second, and the CPU line of each chart. */
const GAPS: Readonly<Record<string, readonly [(number | undefined)[], lines: number[][]]>> = {
  'one missing sample begins no new chart': [[...ten(1), none, 2], [[...ten(1), 2]]],
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
