import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawChart } from '../../src/report/chart.ts';
import { NOT_MEASURED } from '../../src/report/measured-section.ts';
import type { Report } from '../../src/report/report.ts';
import { judged, reading, report } from './build-report.ts';
import { EXAMPLE_REPORTS } from './example-reports.ts';
import { stripHtml } from './strip-html.ts';

/** Returns the legend, and the numbers of each series: metrics, then gaps, then limits. */
function drawn({ measured = NOT_MEASURED }: Report) {
  const [legend, chart] = drawChart(measured).map(({ html }) => html);
  const series = [...(chart?.matchAll(/^ {2}(?:line|bar) \[(.*)\]$/gm) ?? [])];
  return {
    legend: stripHtml(legend ?? ''),
    chart: chart ?? '',
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

test('there is no chart below ten samples, or without CPU, memory and disk', () => {
  assert.equal(drawn(cpu(ten(1).slice(1))).chart, '');
  assert.equal(drawn(report(judged(ten(1).map(ts => ({ ts }))))).chart, '');
});

test('the chart has CPU, memory and disk, with level lines in their colors', () => {
  const given = judged(
    ten(0).map(() => reading(2.126, 25, 75)),
    ['mem_used_pct > 90', 'mem_free < 1GiB', 'disk_used_pct.mean > 50'],
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
const GAPS: Readonly<Record<string, readonly [(number | undefined)[], gaps: string]>> = {
  'grey bars do not mark a single missing sample': [[...ten(1), none, 1, none, 1], ''],
  'grey bars mark two missing samples': [[1, none, none, ...ten(1)], '0110000000000'],
};

for (const [name, [values, gaps]] of Object.entries(GAPS)) {
  test(name, () => {
    const [, bars = []] = drawn(cpu(values)).series;
    assert.equal(bars.map(bar => (bar === 100 ? 1 : 0)).join(''), gaps);
  });
}

test('grey bars cover the time from the death of a sandbox to the end of its monitor', () => {
  const { measured = NOT_MEASURED, ...others } = cpu([1, 2, 3, 4, 5]);
  const from = measured.samples[0]?.at ?? 0;
  const given = { ...others, measured: { ...measured, monitored: { from, to: from + 16_000 } } };
  const { legend, chart, series } = drawn(given);
  assert.match(legend, /grey: no samples$/);
  assert.match(chart, /0 --> 16\.00/);
  assert.deepEqual(series[1], [...Array(5).fill(-100), ...Array(12).fill(100)]);
});

const cases = { '0 --> 251': 250.5, '0 --> 100': -3.5, '0 --> 1000': 1e300 };
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
