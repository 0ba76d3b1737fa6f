import type { Condition } from '../gate/conditions.ts';
import type { Gate } from '../gate/judge.ts';
import type { Figures } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
import { formatDuration, formatTime } from '../text/format.ts';
import { formatFigure } from './breaches.ts';
import { type Html, html } from './html.ts';

/** Fewer samples say no more than their figures. */
export const MIN_SAMPLES = 10;

// More points would be a few pixels apart; GitHub renders charts of up to 50,000 characters.
const MAX_POINTS = 60;

// Beyond any percentage, the axis would flatten everything else.
const MAX_PERCENT = 1000;
const MAX_LIMITS = 4;

interface Series {
  readonly kind: 'line' | 'bar';
  readonly color: string;
  readonly points: readonly (number | undefined)[];
}

// Colors that are visible on white and on black.
const PLOTS = [
  { name: '🟦 CPU', color: '#388bfd', metric: 'cpu_used_pct', resource: 'cpu' },
  { name: '🟪 memory', color: '#a371f7', metric: 'mem_used_pct', resource: 'mem' },
  { name: '🟩 disk', color: '#2da44e', metric: 'disk_used_pct', resource: 'disk' },
] as const;
type Plot = (typeof PLOTS)[number];
const GAP_COLOR = '#8c959f';

/** A Mermaid chart of CPU, memory and disk over time, with the gate's limits, below its legend. */
export function drawChart(samples: readonly Sample[], gate: Gate): Html[] {
  const first = samples[0];
  const last = samples.at(-1);
  if (samples.length < MIN_SAMPLES || first === undefined || last === undefined) return [];
  const size = Math.min(MAX_POINTS, samples.length);
  const courses = PLOTS.map(plot => ({
    ...plot,
    points: spreadOverTime(plot.metric, samples, size),
    limits: limitsOf(plot, [...gate.failIf, ...gate.warnIf], last.figures),
  })).filter(({ points }) => points.some(point => point !== undefined));
  if (courses.length === 0) return [];
  const lines = courses.map(({ color, points }): Series => ({ kind: 'line', color, points }));
  const limits = courses.flatMap(({ color, limits }) =>
    limits.map((limit): Series => ({ kind: 'line', color, points: Array(size).fill(limit) })),
  );
  const shown = [...lines, ...limits].flatMap(({ points }) => bridgeGaps(points));
  const low = Math.min(0, Math.floor(Math.min(...shown)));
  const high = Math.max(100, Math.ceil(Math.max(...shown)));
  const gaps = gapSeries(lines, size, low, high);
  const legend = courses.map(({ name, metric, limits }) => {
    const each = limits.map(limit => formatFigure(metric, limit)).join(', ');
    return each === '' ? name : `${name} (straight line: limit ${each})`;
  });
  const names = [...legend, ...(gaps.length > 0 ? ['grey: no samples'] : [])].join(' · ');
  return [
    html`<p>In percent: ${names}</p>`,
    {
      html: toMermaid([...lines, ...gaps, ...limits], {
        yAxis: `y-axis ${low} --> ${high}`,
        xAxis: timeAxis(first.at, Math.max(last.at - first.at, 0)),
        description: `From ${formatTime(first.at)} to ${formatTime(last.at)}, in percent`,
      }),
    },
  ];
}

/** The time axis: its unit is the largest of which the chart shows at least two. */
function timeAxis(start: number, lengthMs: number): string {
  const units = [
    { name: 'hours', ms: 3_600_000 },
    { name: 'minutes', ms: 60_000 },
  ];
  const unit = units.find(({ ms }) => lengthMs >= 2 * ms) ?? { name: 'seconds', ms: 1000 };
  const length = Math.max(lengthMs / unit.ms, 0.1).toFixed(2);
  const title = `${unit.name} since ${formatTime(start)}, ${formatDuration(lengthMs)} in all`;
  return `x-axis "${title}" 0 --> ${length}`;
}

function toMermaid(
  series: readonly Series[],
  { xAxis, yAxis, description }: { xAxis: string; yAxis: string; description: string },
): string {
  const style = {
    xyChart: { width: 800, height: 320 },
    themeVariables: {
      xyChart: {
        backgroundColor: 'transparent',
        plotColorPalette: series.map(({ color }) => color).join(', '),
      },
    },
  };
  const plots = series.map(({ kind, points }) => {
    const numbers = bridgeGaps(points).map(number => number.toFixed(2));
    return `  ${kind} [${numbers.join(', ')}]`;
  });
  const lines = [
    `%%{init: ${JSON.stringify(style)}}%%`,
    'xychart-beta',
    '  accTitle: CPU, memory and disk over time',
    `  accDescr: ${description}`,
    `  ${xAxis}`,
    `  ${yAxis}`,
    ...plots,
  ];
  return ['```mermaid', ...lines, '```'].join('\n');
}

/** A metric's highest values at even distances in time; undefined where there are none. */
function spreadOverTime(
  metric: string,
  samples: readonly Sample[],
  size: number,
): (number | undefined)[] {
  const start = samples[0]?.at ?? 0;
  const length = Math.max((samples.at(-1)?.at ?? 0) - start, 1);
  const points: (number | undefined)[] = Array.from({ length: size });
  for (const { at, figures } of samples) {
    const figure = figures.get(metric);
    if (figure === undefined) continue;
    const value = clamp(figure, -MAX_PERCENT, MAX_PERCENT);
    const place = clamp(Math.round(((at - start) / length) * (size - 1)), 0, size - 1);
    points[place] = Math.max(points[place] ?? value, value);
  }
  return points;
}

/** Bars over gaps, since Mermaid cannot interrupt a line; elsewhere they end below the axis. */
function gapSeries(lines: readonly Series[], size: number, low: number, high: number): Series[] {
  const gaps = Array.from({ length: size }, (_, index) =>
    lines.some(({ points }) => isInGap(points, index)),
  );
  if (!gaps.includes(true)) return [];
  const points = gaps.map(isGap => (isGap ? high : 2 * low - high));
  return [{ kind: 'bar', color: GAP_COLOR, points }];
}

/** Whether two points in a row are missing; a late sample leaves out a single one. */
function isInGap(points: readonly (number | undefined)[], index: number): boolean {
  const isMissing = (at: number) => at in points && points[at] === undefined;
  return isMissing(index) && (isMissing(index - 1) || isMissing(index + 1));
}

/** The points, a missing one replaced by the one before it. */
function bridgeGaps(points: readonly (number | undefined)[]): number[] {
  let before = points.find(point => point !== undefined) ?? 0;
  return points.map(point => {
    before = point ?? before;
    return before;
  });
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** The limits on a resource in percent; those in bytes are shares of the last sample's total. */
function limitsOf(
  { metric, resource }: Plot,
  conditions: readonly Condition[],
  last: Figures,
): number[] {
  const total = last.get(`${resource}_total`) ?? Number.NaN;
  const limits = conditions.flatMap(condition => {
    const { limit } = condition;
    if (condition.metric === metric) return [limit];
    if (condition.metric === `${resource}_used`) return [(100 * limit) / total];
    if (condition.metric === `${resource}_used_mib`) return [(100 * limit * 2 ** 20) / total];
    return condition.metric === `${resource}_free` ? [100 - (100 * limit) / total] : [];
  });
  return [...new Set(limits)].filter(limit => Math.abs(limit) <= MAX_PERCENT).slice(0, MAX_LIMITS);
}
