import { overallLabelsOf } from '../gate/conditions.ts';
import type { Sample } from '../stats/sample.ts';
import { formatTime, moreInReport } from '../text/format.ts';
import { formatFigure } from './figure-texts.ts';
import { type Html, html } from './html.ts';
import type { MeasuredSection } from './measured-section.ts';

// With fewer samples, a chart adds nothing to the table.
const MIN_SAMPLES = 10;

// Charts are 800 px wide, so more points would be hard to tell apart.
const MAX_POINTS = 60;

// One missing sample may just be late; two begin a new chart.
const GAP_POINTS = 2.5;

const MAX_CHARTS = 4;

// These colors are readable in GitHub's light and dark themes.
const PLOTS = [
  { name: '🟦 CPU', color: '#388bfd', metric: 'cpu_used_pct' },
  { name: '🟪 memory', color: '#a371f7', metric: 'mem_used_pct' },
  { name: '🟩 disk', color: '#2da44e', metric: 'disk_used_pct' },
] as const;

interface Axis {
  readonly from: number;
  readonly to: number;
  readonly points: number;
}

interface Series {
  readonly color: string;
  readonly points: readonly number[];
}

/** Draws a legend, and a chart for each stretch of samples without a gap. */
export function drawCharts({ samples, gate }: MeasuredSection): Html[] {
  const stretches = splitAtGaps(samples).filter(stretch => stretch.length >= MIN_SAMPLES);
  const plots = PLOTS.filter(({ metric }) => samples.some(({ figures }) => figures.has(metric)));
  if (stretches.length === 0 || plots.length === 0) return [];
  // The lines show single samples, so the limit of a mean or percentile would mislead.
  const conditions = [...gate.failIf, ...gate.warnIf].filter(
    each => overallLabelsOf(each) === undefined,
  );
  const limited = plots.map(plot => {
    const judged = conditions.filter(({ metric }) => metric === plot.metric);
    return { ...plot, limits: [...new Set(judged.map(({ limit }) => limit))] };
  });
  const charts = stretches.slice(0, MAX_CHARTS).map(stretch => drawChart(stretch, limited));
  const notes = [
    ...limited.map(describePlot),
    ...(charts.length > 1 ? ['a chart for each time without a gap'] : []),
    ...(stretches.length > MAX_CHARTS ? [moreInReport(stretches.length - MAX_CHARTS)] : []),
  ];
  return [html`<p>In percent: ${notes.join(' · ')}</p>`, ...charts.map(each => ({ html: each }))];
}

type Plot = (typeof PLOTS)[number] & { readonly limits: readonly number[] };

function describePlot({ name, metric, limits }: Plot): string {
  const figures = limits.map(limit => formatFigure(metric, limit)).join(', ');
  return figures === '' ? name : `${name} (level line: limit ${figures})`;
}

// Mermaid cannot interrupt a line, so a single chart would draw lines across the gaps.
function splitAtGaps(samples: readonly Sample[]): Sample[][] {
  const longest = GAP_POINTS * pointDistance(samples);
  const stretches: Sample[][] = [];
  for (const sample of samples) {
    const stretch = stretches.at(-1);
    const previous = stretch?.at(-1);
    if (stretch === undefined || previous === undefined || sample.at - previous.at > longest)
      stretches.push([sample]);
    else stretch.push(sample);
  }
  return stretches;
}

/** Returns the milliseconds between points: the median interval, or more to limit the points. */
function pointDistance(samples: readonly Sample[]): number {
  const times = samples.map(({ at }) => at);
  const intervals = times.slice(1).map((at, index) => at - (times[index] ?? at));
  const median = intervals.sort((one, other) => one - other)[intervals.length >> 1] ?? 0;
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return Math.max(median, span / (MAX_POINTS - 1), 1);
}

function drawChart(samples: readonly Sample[], plots: readonly Plot[]): string {
  const [from, to] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 0];
  const points = Math.round((to - from) / pointDistance(samples)) + 1;
  const axis = { from, to, points };
  const lines = plots.flatMap(plot => spreadOverTime(plot, samples, axis));
  const limitLines = plots.flatMap(({ color, limits }) =>
    limits.map((limit): Series => ({ color, points: Array(points).fill(limit) })),
  );
  const top = Math.max(100, ...lines.flatMap(line => line.points));
  return toMermaid([...lines, ...limitLines], axis, Math.ceil(top));
}

// Each point shows the highest sample near it, or repeats the previous point if there is none.
function spreadOverTime(
  { color, metric }: Plot,
  samples: readonly Sample[],
  { from, to, points: length }: Axis,
): Series[] {
  const highest = new Map<number, number>();
  for (const { at, figures } of samples) {
    const figure = figures.get(metric);
    if (figure === undefined) continue;
    const point = Math.round(((at - from) / (to - from)) * (length - 1));
    highest.set(point, Math.max(highest.get(point) ?? 0, figure));
  }
  let [previous] = highest.values();
  if (previous === undefined) return [];
  const points = Array.from({ length }, (_, point) => {
    previous = highest.get(point) ?? previous ?? 0;
    return previous;
  });
  return [{ color, points }];
}

function toMermaid(series: readonly Series[], axis: Axis, top: number): string {
  const plotColorPalette = series.map(({ color }) => color).join(', ');
  const style = {
    xyChart: { width: 800, height: 320 },
    themeVariables: { xyChart: { backgroundColor: 'transparent', plotColorPalette } },
  };
  const plots = series.map(({ points }) => {
    const numbers = points.map(number => number.toFixed(2));
    return `  line [${numbers.join(', ')}]`;
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
