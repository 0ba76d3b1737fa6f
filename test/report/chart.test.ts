import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawChart } from '../../src/report/chart.ts';
import type { StatsResult } from '../../src/stats/stats.ts';
import { measured, reading, stripHtml } from '../support/build-report.ts';

/** Returns the legend, the chart, and the values of its first line. */
function chartParts(section: StatsResult) {
  const [legend = '', chart = ''] = drawChart(section).map(({ html }) => html);
  const line = /line \[(.*)\]/.exec(chart)?.[1]?.split(', ').map(Number);
  return { legend: stripHtml(legend), chart, line };
}

/** Creates one CPU sample per second. */
function cpu(...values: readonly number[]): StatsResult {
  return measured(values.map(value => ({ cpu_used_pct: value })));
}

const ten = (value: number) => Array.from({ length: 10 }, () => value);

test('ten samples have a chart with ten points', () => {
  assert.deepEqual(chartParts(cpu(...ten(1))).line, ten(1));
});

test('there is no chart below ten samples, or without CPU, memory and disk', () => {
  for (const samples of [[], ten(1).slice(1)]) assert.equal(chartParts(cpu(...samples)).chart, '');
  assert.equal(chartParts(measured(ten(1).map(ts => ({ ts })))).chart, '');
});

test('1,000 samples become 59 points, each the highest of several', () => {
  const values = Array.from({ length: 1000 }, (_, index) => (index === 501 ? 99 : index / 20));
  const points = chartParts(cpu(...values)).line ?? [];
  assert.equal(points.length, 59);
  assert.equal(Math.max(...points), 99);
});

test('a metric that some point lacks has no line, and is not in the legend', () => {
  const withDiskEach = (step: number) => {
    const disk = (index: number) => (index % step === 0 ? { disk_used_pct: 40 } : {});
    const readings = Array.from({ length: 120 }, (_, index) => ({
      cpu_used_pct: 5,
      ...disk(index),
    }));
    return chartParts(measured(readings, ['disk_used_pct > 90']));
  };
  const lacking = withDiskEach(3);
  assert.equal(lacking.legend, 'In percent: 🟦 CPU');
  assert.equal(lacking.chart.match(/line \[/g)?.length, 1);
  // Each point combines two samples, so a figure in every other sample is enough.
  const { legend } = withDiskEach(2);
  assert.equal(legend, 'In percent: 🟦 CPU · 🟩 disk · 🟥 limit: disk 90 %');
});

test('the vertical axis ends at 100 % or at a higher peak', () => {
  const chartWith = (peak: number) => chartParts(cpu(...ten(0), peak)).chart;
  assert.match(chartWith(250.5), /y-axis 0 --> 251$/m);
  assert.match(chartWith(-3.5), /y-axis 0 --> 100$/m);
});

test('Mermaid parses a chart', async () => {
  const { default: mermaid } = await import('mermaid');
  const readings = Array.from({ length: 12 }, (_, index) => reading(index, 8 * index));
  const { chart } = chartParts(measured(readings, ['mem_used_pct > 80', 'disk_used_pct > 90']));
  // Remove texts, since Mermaid can only sanitize them in a browser.
  const text = chart.replace(/^```mermaid\n|\n```$|^ {2}acc.*\n|"\d+ samples .*"/gm, '');
  assert.equal((await mermaid.parse(text)).diagramType, 'xychart');
});
