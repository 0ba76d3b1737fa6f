import type { Condition } from '../gate/conditions.ts';
import { toNumber } from '../gate/exact-number.ts';
import { aggregateOf, figuresOf } from '../gate/judge.ts';
import type { Figures } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
import { formatCount } from '../text/units.ts';
import { formatFigure } from './figures.ts';
import { code, type Html, table } from './html.ts';

// Fewer say no more than the figures themselves.
const MIN_SAMPLES = 3;

// More would be narrower than a pixel; the platform draws charts of at most 50,000 characters.
const MAX_POINTS = 60;

const CHARTS = [
  { name: 'CPU', metric: 'cpu_used_pct', part: undefined, total: undefined },
  { name: 'Memory', metric: 'mem_used_pct', part: 'mem', total: 'mem_total' },
  { name: 'Disk', metric: 'disk_used_pct', part: 'disk', total: 'disk_total' },
] as const;

type Chart = (typeof CHARTS)[number];

/** One row for each of CPU, memory and disk: its course as a sparkline, and its aggregates. */
export function courseTable(samples: readonly Sample[]): Html[] {
  const all = samples.map(({ stats }) => stats.figures);
  if (samples.length < MIN_SAMPLES) return [];
  const rows = CHARTS.flatMap(({ name, metric }) => {
    const figures = figuresOf(metric, all);
    if (figures === undefined) return [];
    const figure = (aggregate: 'min' | 'mean' | 'max' | 'last') =>
      formatFigure(metric, aggregateOf(aggregate, figures));
    return [
      [
        name,
        code(sparkline(overTime(metric, samples, MAX_POINTS / 2))),
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
    if (pointsOf(chart.metric, samples).length === 0) return [];
    const values = overTime(chart.metric, samples, MAX_POINTS);
    const limits = limitsOf(chart, conditions, last.stats.figures);
    const title = `**${chart.name}** ${over}${limits.length === 0 ? '' : ', with its limits in red'}`;
    return [`${title}\n\n${mermaid(values, limits, span.length)}`];
  });
}

// The first colour is the metric's, the others are its limits'. Mermaid's own begin with one that is hardly seen.
const MAX_LIMITS = 8;
const COLOURS = ['#0969da', ...Array.from({ length: MAX_LIMITS }, () => '#cf222e')];
const STYLE = JSON.stringify({
  xyChart: { width: 700, height: 240 },
  themeVariables: { xyChart: { plotColorPalette: COLOURS.join(', ') } },
});

function mermaid(points: readonly number[], limits: readonly number[], span: number): string {
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
  const height = (value: number) => Math.min(Math.max(Math.floor(value / 12.5), 0), heights.length - 1);
  return values.map(value => heights.charAt(height(value))).join('');
}

// Beyond any percentage, a chart's axis would drown everything else.
const MAX_PERCENT = 1000;

/**
 * At most so many values of a metric at even distances in time: the highest where several fall together, since peaks are
 * what a reader looks for, and the one before where none does.
 */
export function overTime(metric: string, samples: readonly Sample[], count: number): number[] {
  const points = pointsOf(metric, samples);
  const size = Math.min(count, samples.length);
  const start = samples[0]?.at ?? 0;
  const length = Math.max((samples.at(-1)?.at ?? 0) - start, 1);
  const grid: (number | undefined)[] = Array.from({ length: size });
  for (const { at, value } of points) {
    const place = Math.min(Math.max(Math.round(((at - start) / length) * (size - 1)), 0), size - 1);
    grid[place] = Math.max(grid[place] ?? value, value);
  }
  let before = points[0]?.value ?? 0;
  return grid.map(value => {
    before = value ?? before;
    return before;
  });
}

function pointsOf(metric: string, samples: readonly Sample[]): { at: number; value: number }[] {
  return samples.flatMap(({ at, stats }) => {
    const figure = stats.figures.get(metric);
    const value = Math.min(Math.max(Number(figure), -MAX_PERCENT), MAX_PERCENT);
    return figure === undefined ? [] : [{ at, value }];
  });
}

/** The conditions' limits in percent; those of bytes are shares of the total of the last sample. */
function limitsOf({ metric, part, total }: Chart, conditions: readonly Condition[], last: Figures): number[] {
  const all = total === undefined ? undefined : last.get(total);
  const share = (bytes: number) => (all === undefined ? Number.NaN : (100 * bytes) / Number(all));
  const limits = conditions.flatMap(condition => {
    const limit = toNumber(condition.limit);
    if (condition.metric === metric) return [limit];
    if (part === undefined) return [];
    if (condition.metric === `${part}_used`) return [share(limit)];
    if (condition.metric === `${part}_used_mib`) return [share(limit * 2 ** 20)];
    return condition.metric === `${part}_free` ? [100 - share(limit)] : [];
  });
  return [...new Set(limits)].filter(limit => Math.abs(limit) <= MAX_PERCENT).slice(0, MAX_LIMITS);
}
