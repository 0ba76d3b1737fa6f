import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawCharts } from '../../src/report/chart.ts';
import type { StatsResult } from '../../src/stats/stats.ts';
import { measured, stripHtml } from '../support/build-report.ts';
import { EXAMPLE_REPORTS } from '../support/example-reports.ts';

/** Returns the legend, the charts, and the values of the first line of each chart. */
function chartParts(section: StatsResult) {
  const [legend = '', ...charts] = drawCharts(section).map(({ html }) => html);
  const lines = charts.map(chart => /line \[(.*)\]/.exec(chart)?.[1]?.split(', ').map(Number));
  return { legend: stripHtml(legend), charts, lines };
}

/** Creates one CPU sample per second. `undefined` stands for a missing sample. */
function cpu(...values: readonly (number | undefined)[]): StatsResult {
  const stats = measured(values.map(value => ({ cpu_used_pct: value ?? 0 })));
  return { ...stats, samples: stats.samples.filter((_, index) => values[index] !== undefined) };
}

const ten = (value: number) => Array.from({ length: 10 }, () => value);

test('ten samples have a chart, even if the last comes early', () => {
  const stats = cpu(...ten(1));
  const samples = stats.samples.map(({ at, figures }, index) => {
    return { figures, at: index === 9 ? at - 800 : at };
  });
  assert.equal(chartParts({ ...stats, samples }).charts.length, 1);
});

test('there is no chart below ten samples, or without CPU, memory and disk', () => {
  assert.deepEqual(chartParts(cpu(...ten(1).slice(1))).charts, []);
  assert.deepEqual(chartParts(measured(ten(1).map(ts => ({ ts })))).charts, []);
});

test('1,000 samples become 59 points, each the highest of several', () => {
  const values = Array.from({ length: 1000 }, (_, index) => (index === 501 ? 99 : index / 20));
  const [points = []] = chartParts(cpu(...values)).lines;
  assert.equal(points.length, 59);
  assert.equal(Math.max(...points), 99);
});

/** CPU samples, and the expected values of the CPU line in each chart. */
const GAPS: Readonly<Record<string, readonly [(number | undefined)[], lines: number[][]]>> = {
  'one missing sample begins no new chart': [[...ten(1), undefined, 2], [[...ten(1), 2]]],
  'two missing samples begin a new chart': [
    [...ten(1), undefined, undefined, ...ten(2)],
    [ten(1), ten(2)],
  ],
  'there is no chart of fewer than ten samples before a gap': [
    [1, undefined, undefined, ...ten(2)],
    [ten(2)],
  ],
};

for (const [name, [values, lines]] of Object.entries(GAPS))
  test(`a chart ends where two samples in a row are missing [${name}]`, () =>
    assert.deepEqual(chartParts(cpu(...values)).lines, lines));

test('a metric that some point lacks has no line, and is not in the legend', () => {
  const withDisk = (isReported: (index: number) => boolean) =>
    chartParts(
      measured(
        Array.from({ length: 120 }, (_, index) => {
          return { cpu_used_pct: 5, ...(isReported(index) && { disk_used_pct: 40 }) };
        }),
        ['disk_used_pct > 90'],
      ),
    );
  const lacking = withDisk(index => index % 3 === 0);
  assert.equal(lacking.legend, 'In percent: 🟦 CPU');
  assert.equal(lacking.charts.join('').match(/line \[/g)?.length, 1);
  // Each point combines two samples, so a figure in every other sample is enough.
  const complete = withDisk(index => index % 2 === 0);
  assert.equal(complete.legend, 'In percent: 🟦 CPU · 🟩 disk · 🟥 limit of disk 90 %');
});

test('the legend says that there are several charts, and that only the first four are shown', () => {
  const six = chartParts(
    cpu(...Array.from({ length: 6 }, () => [...ten(1), undefined, undefined]).flat()),
  );
  assert.equal(chartParts(cpu(...ten(1))).legend, 'In percent: 🟦 CPU');
  assert.match(six.legend, /CPU · a chart for each time without a gap · and 2 more; the report/);
  assert.equal(six.charts.length, 4);
});

test('the vertical axis ends at 100 % or at a higher peak', () => {
  for (const [peak, top] of [
    [250.5, 251],
    [-3.5, 100],
  ] as const) {
    const [chart = ''] = chartParts(cpu(...ten(0), peak)).charts;
    assert.match(chart, new RegExp(`y-axis 0 --> ${top}$`, 'm'));
  }
});

test('Mermaid parses the charts of all example reports', async () => {
  const { default: mermaid } = await import('mermaid');
  const charts = Object.values(EXAMPLE_REPORTS).flatMap(
    ({ stats = measured([]) }) => chartParts(stats).charts,
  );
  assert.ok(charts.length > 5);
  for (const chart of charts) {
    // Remove texts, since Mermaid can only sanitize them in a browser.
    const text = chart.replace(/^```mermaid\n|\n```$|^ {2}acc.*\n|"[a-z]+ since .*"/gm, '');
    assert.equal((await mermaid.parse(text)).diagramType, 'xychart');
  }
});
