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

// Beyond any percentage, a chart's axis would drown everything else.
const MAX_PERCENT = 1000;

const CHARTS = [
  { name: 'CPU', metric: 'cpu_used_pct', part: undefined },
  { name: 'Memory', metric: 'mem_used_pct', part: 'mem' },
  { name: 'Disk', metric: 'disk_used_pct', part: 'disk' },
] as const;

/** One row for each of CPU, memory and disk: its course as a sparkline, and its aggregates. */
export function courseTable(samples: readonly Sample[]): Html[] {
  if (samples.length < MIN_SAMPLES) return [];
  const all = samples.map(({ figures }) => figures);
  const rows = CHARTS.flatMap(({ name, metric }) => {
    const figures = figuresOf(metric, all);
    if (figures === undefined) return [];
    const aggregates = (['min', 'mean', 'max', 'last'] as const).map(aggregate =>
      formatFigure(metric, aggregateOf(aggregate, figures)),
    );
    return [[name, code(sparkline(overTime(metric, samples, MAX_POINTS / 2))), ...aggregates]];
  });
  return rows.length === 0 ? [] : [table(['', 'Course', 'Min', 'Mean', 'Max', 'Last'], rows)];
}

/** A Mermaid chart of each percentage over time, with its conditions' limits as level lines. It holds nothing but numbers. */
export function timeCharts(samples: readonly Sample[], conditions: readonly Condition[]): string[] {
  const [first, last] = [samples[0], samples.at(-1)];
  if (samples.length < MIN_SAMPLES || first === undefined || last === undefined) return [];
  const span = timeSpan(last.at - first.at);
  const over = `in percent over ${span.unit}, ${formatCount(samples.length, 'sample')}`;
  return CHARTS.flatMap(chart => {
    const values = overTime(chart.metric, samples, MAX_POINTS);
    if (values.length === 0) return [];
    const limits = limitsOf(chart, conditions, last.figures);
    const title = `**${chart.name}** ${over}${limits.length === 0 ? '' : ', with its limits in red'}`;
    return `${title}\n\n${mermaid(values, limits, span.length)}`;
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
  const line = (numbers: readonly number[]) => `  line [${numbers.map(number => number.toFixed(2)).join(', ')}]`;
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
  const [unit, size] = ms < 120_000 ? ['seconds', 1000] : ms < 7_200_000 ? ['minutes', 60_000] : ['hours', 3_600_000];
  return { unit, length: Math.max(Math.round((ms / size) * 10) / 10, 0.1) };
}

/** Eight heights for 0 to 100 percent. */
export function sparkline(values: readonly number[]): string {
  const heights = '▁▂▃▄▅▆▇█';
  return values.map(value => heights.charAt(clamp(Math.floor(value / 12.5), 0, 7))).join('');
}

/** At most so many values of a metric at even distances in time: the highest where several fall together, or the one before. */
function overTime(metric: string, samples: readonly Sample[], count: number): number[] {
  const size = Math.min(count, samples.length);
  const start = samples[0]?.at ?? 0;
  const length = Math.max((samples.at(-1)?.at ?? 0) - start, 1);
  const grid: (number | undefined)[] = Array.from({ length: size });
  let before: number | undefined;
  for (const { at, figures } of samples) {
    const figure = figures.get(metric);
    if (figure === undefined) continue;
    const value = clamp(Number(figure), -MAX_PERCENT, MAX_PERCENT);
    const place = clamp(Math.round(((at - start) / length) * (size - 1)), 0, size - 1);
    grid[place] = Math.max(grid[place] ?? value, value);
    before ??= value;
  }
  return grid.flatMap(value => {
    before = value ?? before;
    return before ?? [];
  });
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** The conditions' limits in percent; those of bytes are parts of the total of the last sample. */
function limitsOf(
  { metric, part }: (typeof CHARTS)[number],
  conditions: readonly Condition[],
  last: Figures,
): number[] {
  const total = part === undefined ? Number.NaN : Number(last.get(`${part}_total`));
  const percent = (bytes: number) => (100 * bytes) / total;
  const limits = conditions.flatMap(condition => {
    const limit = toNumber(condition.limit);
    if (condition.metric === metric) return limit;
    if (condition.metric === `${part}_used`) return percent(limit);
    if (condition.metric === `${part}_used_mib`) return percent(limit * 2 ** 20);
    return condition.metric === `${part}_free` ? 100 - percent(limit) : [];
  });
  return [...new Set(limits)].filter(limit => Math.abs(limit) <= MAX_PERCENT).slice(0, MAX_LIMITS);
}
