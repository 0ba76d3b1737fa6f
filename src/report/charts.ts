import type { Condition } from '../gate/conditions.ts';
import { exactly, toNumber } from '../gate/exact-number.ts';
import { aggregateOf, figuresOf } from '../gate/judge.ts';
import type { Figures } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
import { formatFigure } from './figures.ts';
import { code, type Html, table } from './html.ts';
import { formatCount } from './units.ts';

// Fewer say no more than the figures themselves.
const MIN_SAMPLES = 3;

// More would be narrower than a pixel; the platform draws charts of at most 50,000 characters.
const MAX_POINTS = 60;

const CHARTS = [
  { name: 'CPU', metric: 'cpu_used_pct', used: undefined, total: undefined },
  { name: 'Memory', metric: 'mem_used_pct', used: 'mem_used', total: 'mem_total' },
  { name: 'Disk', metric: 'disk_used_pct', used: 'disk_used', total: 'disk_total' },
] as const;

type Chart = (typeof CHARTS)[number];

/** One row for each of CPU, memory and disk: its course as a sparkline, and its aggregates. */
export function courseTable(samples: readonly Sample[]): Html[] {
  const all = samples.map(({ stats }) => stats.figures);
  if (samples.length < MIN_SAMPLES) return [];
  const rows = CHARTS.flatMap(({ name, metric }) => {
    const [first, ...others] = figuresOf(metric, all);
    if (first === undefined) return [];
    const figure = (aggregate: 'min' | 'mean' | 'max' | 'last') =>
      formatFigure(metric, aggregateOf(aggregate, [first, ...others]));
    return [
      [
        name,
        code(sparkline(valuesOf(metric, samples))),
        figure('min'),
        figure('mean'),
        figure('max'),
        figure('last'),
      ],
    ];
  });
  return rows.length === 0 ? [] : [table(['', 'Course', 'Min', 'Mean', 'Max', 'Last'], rows)];
}

/**
 * A Mermaid chart over time for each of CPU, memory and disk, in percent, with the limits of its conditions as level
 * lines. Nothing from elsewhere is in it but numbers.
 */
export function timeCharts(samples: readonly Sample[], conditions: readonly Condition[]): string[] {
  const [first, last] = [samples[0], samples.at(-1)];
  if (samples.length < MIN_SAMPLES || first === undefined || last === undefined) return [];
  const span = timeSpan(last.at - first.at);
  const over = `in percent over ${span.unit}, ${formatCount(samples.length, 'sample')}`;
  return CHARTS.flatMap(chart => {
    const values = valuesOf(chart.metric, samples);
    if (values.length < MIN_SAMPLES) return [];
    const limits = limitsOf(chart, conditions, last.stats.figures);
    const title = `**${chart.name}** ${over}${limits.length === 0 ? '' : ', with its limits in red'}`;
    return [`${title}\n\n${mermaid(values, limits, span.length)}`];
  });
}

// The first colour is the metric's, the others are its limits'. Mermaid's own begin with one that is hardly seen.
const COLOURS = ['#0969da', '#cf222e', '#cf222e', '#cf222e', '#cf222e', '#cf222e'];
const STYLE = JSON.stringify({
  xyChart: { width: 700, height: 240 },
  themeVariables: { xyChart: { plotColorPalette: COLOURS.join(', ') } },
});

function mermaid(values: readonly number[], limits: readonly number[], span: number): string {
  const points = thin(values, MAX_POINTS);
  const shown = [...points, ...limits];
  const line = (numbers: readonly number[]) =>
    `  line [${numbers.map(number => number.toFixed(2)).join(', ')}]`;
  const lines = [
    `%%{init: ${STYLE}}%%`,
    'xychart-beta',
    `  x-axis 0 --> ${span}`,
    `  y-axis ${Math.min(0, Math.floor(Math.min(...shown)))} --> ${Math.max(100, Math.ceil(Math.max(...shown)))}`,
    line(points),
    ...limits.map(limit => line(points.map(() => limit))),
  ];
  return ['```mermaid', ...lines, '```'].join('\n');
}

/** A length of time as a chart's axis shows it. */
function timeSpan(ms: number): { length: number; unit: string } {
  const [unit, size] =
    ms < 120_000 ? ['seconds', 1000] : ms < 7_200_000 ? ['minutes', 60_000] : ['hours', 3_600_000];
  return { unit, length: Math.max(Math.round((ms / size) * 10) / 10, 0.1) };
}

/** Eight heights for 0 to 100 percent. */
export function sparkline(values: readonly number[]): string {
  const heights = '▁▂▃▄▅▆▇█';
  return thin(values, MAX_POINTS / 2)
    .map(value => heights.charAt(Math.min(Math.max(Math.floor(value / 12.5), 0), heights.length - 1)))
    .join('');
}

/** At most so many values: the highest of each stretch, since peaks are what a reader looks for. */
function thin(values: readonly number[], count: number): readonly number[] {
  if (values.length <= count) return values;
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * values.length) / count);
    return Math.max(...values.slice(from, Math.floor(((index + 1) * values.length) / count)));
  });
}

// Beyond any percentage, a chart's axis would drown everything else.
const MAX_PERCENT = 1000;

/** The finite figures of a metric, a gap bridged by the figure before it. */
function valuesOf(metric: string, samples: readonly Sample[]): number[] {
  const values: number[] = [];
  for (const { stats } of samples) {
    const figure = stats.figures.get(metric);
    const value =
      figure === undefined ? values.at(-1) : Math.min(Math.max(Number(figure), -MAX_PERCENT), MAX_PERCENT);
    if (value !== undefined) values.push(value);
  }
  return values;
}

/** The conditions' limits in percent, those of used bytes by the total of the last sample. */
function limitsOf({ metric, used, total }: Chart, conditions: readonly Condition[], last: Figures): number[] {
  const all = total === undefined ? undefined : last.get(total);
  const limits = conditions.flatMap(condition => {
    const limit = toNumber(condition.limit);
    if (condition.metric === metric) return [limit];
    if (condition.metric !== used || all === undefined) return [];
    return [(100 * limit) / toNumber(exactly(all))];
  });
  return [...new Set(limits)].filter(limit => Math.abs(limit) <= MAX_PERCENT).slice(0, 5);
}
