import type { Condition } from '../gate/conditions.ts';
import type { Figures } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
import { formatTime } from '../text/format.ts';
import { formatFigure } from './figures.ts';
import { type Html, html } from './html.ts';
import type { Report } from './report.ts';

// Fewer points add nothing to the table; more would be a few pixels apart.
const MIN_POINTS = 10;
const MAX_POINTS = 60;

// Higher percentages would flatten everything else.
const MAX_PERCENT = 1000;
const MAX_LIMITS = 4;

// These colors show on white and on black. The grey bars overlap, so they are nearly transparent.
const PLOTS = [
  { name: '🟦 CPU', color: '#388bfd', metric: 'cpu_used_pct', resource: 'cpu' },
  { name: '🟪 memory', color: '#a371f7', metric: 'mem_used_pct', resource: 'mem' },
  { name: '🟩 disk', color: '#2da44e', metric: 'disk_used_pct', resource: 'disk' },
] as const;
const GAP_COLOR = '#8c959f1f';

interface Axis {
  readonly from: number;
  readonly to: number;
  readonly points: number;
}

interface Series {
  readonly kind: 'line' | 'bar';
  readonly color: string;
  readonly points: readonly number[];
}

export function drawChart({ samples, gate, monitored }: Report): Html[] {
  const axis = axisOf(samples, monitored);
  if (axis === undefined) return [];
  const conditions = [...gate.failIf, ...gate.warnIf];
  const plots = PLOTS.flatMap(plot => {
    const points = spreadOverTime(plot.metric, samples, axis);
    if (points === undefined) return [];
    return [{ ...plot, points, limits: limitsOf(plot, conditions, samples.at(-1)?.figures) }];
  });
  if (plots.length === 0) return [];
  const lines = plots.map(({ color, points }): Series => ({ kind: 'line', color, points }));
  const limits = plots.flatMap(({ color, limits: own }) =>
    own.map((limit): Series => ({ kind: 'line', color, points: Array(axis.points).fill(limit) })),
  );
  const all = [...lines, ...limits].flatMap(({ points }) => points);
  const low = Math.min(0, Math.floor(Math.min(...all)));
  const high = Math.max(100, Math.ceil(Math.max(...all)));
  const gaps = gapSeries(samples, axis, { low, high });
  const legend = plots.map(({ name, metric, limits: own }) => {
    const each = own.map(limit => formatFigure(metric, limit)).join(', ');
    return each === '' ? name : `${name} (level line: limit ${each})`;
  });
  const names = gaps.length > 0 ? [...legend, 'grey: no samples'] : legend;
  const chart = toMermaid([...lines, ...gaps, ...limits], axis, { low, high });
  return [html`<p>In percent: ${names.join(' · ')}</p>`, { html: chart }];
}

// Uses one point per sampling interval, or draws no chart if there are too few.
function axisOf(samples: readonly Sample[], monitored: Report['monitored']): Axis | undefined {
  const [first, ...others] = samples;
  if (first === undefined) return undefined;
  const { from, to } = monitored ?? { from: first.at, to: others.at(-1)?.at ?? first.at };
  const intervals = others
    .map(({ at }, index) => at - (samples[index]?.at ?? at))
    .sort((one, other) => one - other);
  const usual = intervals[intervals.length >> 1];
  if (usual === undefined) return undefined;
  const points = Math.min(Math.round((to - from) / Math.max(usual, 1)) + 1, MAX_POINTS);
  return points < MIN_POINTS ? undefined : { from, to, points };
}

function pointAt(at: number, { from, to, points }: Axis): number {
  return clamp(Math.round(((at - from) / (to - from)) * (points - 1)), 0, points - 1);
}

// A point without samples repeats the one before.
function spreadOverTime(
  metric: string,
  samples: readonly Sample[],
  axis: Axis,
): number[] | undefined {
  const highest = new Map<number, number>();
  for (const { at, figures } of samples) {
    const figure = figures.get(metric);
    if (figure === undefined) continue;
    const point = pointAt(at, axis);
    const value = clamp(figure, -MAX_PERCENT, MAX_PERCENT);
    highest.set(point, Math.max(highest.get(point) ?? value, value));
  }
  let [before] = highest.values();
  if (before === undefined) return undefined;
  return Array.from({ length: axis.points }, (_, point) => {
    before = highest.get(point) ?? before ?? 0;
    return before;
  });
}

// Mermaid cannot interrupt a line, so bars mark the gaps. All other bars end below the axis.
function gapSeries(
  samples: readonly Sample[],
  axis: Axis,
  { low, high }: { low: number; high: number },
): Series[] {
  const taken = new Set(samples.map(({ at }) => pointAt(at, axis)));
  const isMissing = (point: number) => point >= 0 && point < axis.points && !taken.has(point);
  // A single missing point is just a late sample.
  const isGap = (point: number) =>
    isMissing(point) && (isMissing(point - 1) || isMissing(point + 1));
  const points = Array.from({ length: axis.points }, (_, point) =>
    isGap(point) ? high : 2 * low - high,
  );
  return points.includes(high) ? [{ kind: 'bar', color: GAP_COLOR, points }] : [];
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

function limitsOf(
  { metric, resource }: (typeof PLOTS)[number],
  conditions: readonly Condition[],
  last: Figures | undefined,
): number[] {
  const total = last?.get(`${resource}_total`) ?? Number.NaN;
  const limits = conditions.flatMap(({ metric: judged, aggregate, limit }) => {
    if (aggregate === 'mean') return [];
    if (judged === metric) return [limit];
    if (judged === `${resource}_used`) return [(100 * limit) / total];
    if (judged === `${resource}_used_mib`) return [(100 * limit * 2 ** 20) / total];
    return judged === `${resource}_free` ? [100 - (100 * limit) / total] : [];
  });
  return [...new Set(limits)].filter(limit => Math.abs(limit) <= MAX_PERCENT).slice(0, MAX_LIMITS);
}

function toMermaid(
  series: readonly Series[],
  axis: Axis,
  { low, high }: { low: number; high: number },
): string {
  const plotColorPalette = series.map(({ color }) => color).join(', ');
  const style = {
    xyChart: { width: 800, height: 320 },
    themeVariables: { xyChart: { backgroundColor: 'transparent', plotColorPalette } },
  };
  const plots = series.map(({ kind, points }) => {
    const numbers = points.map(number => number.toFixed(2));
    return `  ${kind} [${numbers.join(', ')}]`;
  });
  const lines = [
    `%%{init: ${JSON.stringify(style)}}%%`,
    'xychart-beta',
    '  accTitle: CPU, memory and disk over time',
    `  accDescr: From ${formatTime(axis.from)} to ${formatTime(axis.to)}, in percent`,
    `  ${timeAxis(axis)}`,
    `  y-axis ${low} --> ${high}`,
    ...plots,
  ];
  return ['```mermaid', ...lines, '```'].join('\n');
}

function timeAxis({ from, to }: Axis): string {
  const units = [
    { name: 'hours', ms: 3_600_000 },
    { name: 'minutes', ms: 60_000 },
  ];
  const unit = units.find(({ ms }) => to - from >= 2 * ms) ?? { name: 'seconds', ms: 1000 };
  return `x-axis "${unit.name} since ${formatTime(from)}" 0 --> ${((to - from) / unit.ms).toFixed(2)}`;
}
