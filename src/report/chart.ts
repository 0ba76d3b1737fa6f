import { overallOf } from '../gate/conditions.ts';
import type { Sample } from '../stats/sample.ts';
import { formatTime } from '../text/format.ts';
import { formatFigure } from './figures.ts';
import { type Html, html } from './html.ts';
import type { MeasuredSection } from './measured-section.ts';

// Below 10 points, the table says as much. Above 60, points are only a few pixels apart.
const MIN_POINTS = 10;
const MAX_POINTS = 60;

// A higher percentage would flatten all other lines.
const MAX_PERCENT = 1000;

// Readable in the light and the dark theme. The grey bars overlap, so they are nearly transparent.
const PLOTS = [
  { name: '🟦 CPU', color: '#388bfd', metric: 'cpu_used_pct' },
  { name: '🟪 memory', color: '#a371f7', metric: 'mem_used_pct' },
  { name: '🟩 disk', color: '#2da44e', metric: 'disk_used_pct' },
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

export function drawChart({ samples, gate, monitored }: MeasuredSection): Html[] {
  const axis = axisOf(samples, monitored);
  if (axis === undefined) return [];
  // The lines show single samples, so the limit of a mean would mislead.
  const conditions = [...gate.failIf, ...gate.warnIf].filter(each => overallOf(each) === undefined);
  const plots = PLOTS.flatMap(plot => {
    const points = spreadOverTime(plot.metric, samples, axis);
    const judged = conditions.filter(({ metric }) => metric === plot.metric);
    const limits = [...new Set(judged.map(({ limit }) => limit))];
    return points === undefined ? [] : [{ ...plot, points, limits }];
  });
  if (plots.length === 0) return [];
  const lines = plots.map(({ color, points }): Series => ({ kind: 'line', color, points }));
  const limitLines = plots.flatMap(plot =>
    plot.limits.map((limit): Series => {
      return { kind: 'line', color: plot.color, points: Array(axis.points).fill(limit) };
    }),
  );
  const top = Math.max(100, ...lines.flatMap(({ points }) => points));
  const gaps = gapSeries(samples, axis, top);
  const legend = plots.map(({ name, metric, limits }) => {
    const figures = limits.map(limit => formatFigure(metric, limit)).join(', ');
    return figures === '' ? name : `${name} (level line: limit ${figures})`;
  });
  const names = gaps.length > 0 ? [...legend, 'grey: no samples'] : legend;
  const chart = toMermaid([...lines, ...gaps, ...limitLines], axis, Math.ceil(top));
  return [html`<p>In percent: ${names.join(' · ')}</p>`, { html: chart }];
}

// Fits one point per sampling interval. Returns undefined if there are too few for a chart.
function axisOf(
  samples: readonly Sample[],
  monitored: MeasuredSection['monitored'],
): Axis | undefined {
  const times = samples.map(({ at }) => at);
  const { from, to } = monitored ?? { from: times[0] ?? 0, to: times.at(-1) ?? 0 };
  const intervals = times.slice(1).map((at, index) => at - (times[index] ?? at));
  const median = intervals.sort((one, other) => one - other)[intervals.length >> 1];
  if (median === undefined) return undefined;
  const points = Math.min(Math.round((to - from) / Math.max(median, 1)) + 1, MAX_POINTS);
  return points < MIN_POINTS ? undefined : { from, to, points };
}

function pointAt(at: number, { from, to, points }: Axis): number {
  return clamp(Math.round(((at - from) / (to - from)) * (points - 1)), points - 1);
}

function clamp(value: number, high: number): number {
  return Math.min(Math.max(value, 0), high);
}

// Each point shows its highest sample, or repeats the previous point if it has none.
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
    highest.set(point, Math.max(highest.get(point) ?? 0, clamp(figure, MAX_PERCENT)));
  }
  let [previous] = highest.values();
  if (previous === undefined) return undefined;
  return Array.from({ length: axis.points }, (_, point) => {
    previous = highest.get(point) ?? previous ?? 0;
    return previous;
  });
}

// Mermaid cannot interrupt a line, so bars mark the gaps; negative bars are invisible.
function gapSeries(samples: readonly Sample[], axis: Axis, top: number): Series[] {
  const sampled = new Set(samples.map(({ at }) => pointAt(at, axis)));
  const isMissing = (point: number) => point >= 0 && point < axis.points && !sampled.has(point);
  // A single missing point is just a late sample.
  const isGap = (point: number) =>
    isMissing(point) && (isMissing(point - 1) || isMissing(point + 1));
  const points = Array.from({ length: axis.points }, (_, point) => (isGap(point) ? top : -top));
  return points.includes(top) ? [{ kind: 'bar', color: GAP_COLOR, points }] : [];
}

function toMermaid(series: readonly Series[], axis: Axis, top: number): string {
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
    `  y-axis 0 --> ${top}`,
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
