import type { Gate } from '../gate/judge.ts';
import { aggregateOf, formatFigure, type Sample } from '../gate/metrics.ts';
import type { StatsResult } from '../stats/stats.ts';
import { formatTime } from '../text/format.ts';
import { type Html, html } from './html.ts';

// With fewer samples, a chart adds nothing to the table.
const MIN_SAMPLES = 10;

// Charts are 800 px wide, so more points would be hard to tell apart.
const MAX_POINTS = 60;

// One missing sample may just be late; two in a row are a gap.
const GAP_POINTS = 2.5;

// Mermaid has no dashed lines, so limits have a color of their own.
const LIMIT_COLOR = '#d1242f';

// These colors are readable in GitHub's light and dark themes.
const PLOTS = [
  { name: '🟦 CPU', color: '#388bfd', metric: 'cpu_used_pct' },
  { name: '🟪 memory', color: '#a371f7', metric: 'mem_used_pct' },
  { name: '🟩 disk', color: '#2da44e', metric: 'disk_used_pct' },
] as const;

/** Draws the longest time without a gap, since Mermaid cannot interrupt a line. */
export function drawChart({ samples, gate }: StatsResult): Html[] {
  const longest = splitAtGaps(samples).reduce((best, each) =>
    each.length > best.length ? each : best,
  );
  const points = pointsOf(longest);
  const plots = plotsOf(points, gate);
  if (longest.length < MIN_SAMPLES || plots.length === 0) return [];
  const limits = plots.flatMap(({ limitNames }) => limitNames);
  const legend = [
    ...plots.map(({ name }) => name),
    ...(limits.length > 0 ? [`🟥 limit of ${limits.join(', ')}`] : []),
  ];
  return [html`<p>In percent: ${legend.join(' · ')}</p>`, renderChart(points, plots)];
}

/** Successive samples that share a point of the chart, which shows their highest figure. */
type Point = readonly Sample[];

function plotsOf(points: readonly Point[], { judgements }: Gate) {
  // Leave out a metric that any point lacks, since its line would have a hole.
  const complete = PLOTS.filter(({ metric }) => peaksOf(metric, points).length === points.length);
  return complete.map(({ name, color, metric }) => {
    // The lines show single samples, so the limit of a mean or percentile would mislead.
    const conditions = judgements
      .map(({ condition }) => condition)
      .filter(each => each.metric === metric && each.aggregate === undefined);
    const limits = [...new Set(conditions.map(({ limit }) => limit))];
    const limitNames = limits.map(
      limit => `${name.replace(/^\S+ /, '')} ${formatFigure(metric, limit)}`,
    );
    return { name, color, metric, limits, limitNames };
  });
}

function splitAtGaps(samples: readonly Sample[]): Sample[][] {
  const times = samples.map(({ at }) => at);
  const intervals = times.slice(1).map((at, index) => at - (times[index] ?? at));
  const median = intervals.toSorted((one, other) => one - other)[intervals.length >> 1] ?? 0;
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const longest = GAP_POINTS * Math.max(median, span / MAX_POINTS);
  const stretches: Sample[][] = [[]];
  for (const [index, sample] of samples.entries()) {
    if ((intervals[index - 1] ?? 0) > longest) stretches.push([]);
    stretches.at(-1)?.push(sample);
  }
  return stretches;
}

function pointsOf(samples: readonly Sample[]): Point[] {
  const perPoint = Math.ceil(samples.length / MAX_POINTS);
  return [...Map.groupBy(samples, (_, index) => Math.floor(index / perPoint)).values()];
}

/** Returns the highest figure of each point that has the metric. */
function peaksOf(metric: string, points: readonly Point[]): number[] {
  return points.flatMap(point => aggregateOf('max', metric, point) ?? []);
}

function renderChart(points: readonly Point[], plots: ReturnType<typeof plotsOf>): Html {
  const times = points.flat().map(({ at }) => at);
  const [from, to] = [times[0] ?? 0, times.at(-1) ?? 0];
  const series = [
    ...plots.map(({ color, metric }) => ({ color, figures: peaksOf(metric, points) })),
    ...plots.flatMap(({ limits }) =>
      limits.map(limit => ({ color: LIMIT_COLOR, figures: points.map(() => limit) })),
    ),
  ];
  const top = Math.max(100, ...series.flatMap(({ figures }) => figures));
  const plotColorPalette = series.map(({ color }) => color).join(', ');
  const style = {
    xyChart: { width: 800, height: 320 },
    themeVariables: { xyChart: { backgroundColor: 'transparent', plotColorPalette } },
  };
  const lines = [
    '```mermaid',
    `%%{init: ${JSON.stringify(style)}}%%`,
    'xychart-beta',
    '  accTitle: CPU, memory and disk over time',
    `  accDescr: From ${formatTime(from)} to ${formatTime(to)}, in percent`,
    `  ${timeAxis(from, to)}`,
    `  y-axis 0 --> ${Math.ceil(top)}`,
    ...series.map(({ figures }) => `  line [${figures.map(each => each.toFixed(2)).join(', ')}]`),
    '```',
  ];
  return { html: lines.join('\n') };
}

function timeAxis(from: number, to: number): string {
  const units = [
    { name: 'hours', ms: 3_600_000 },
    { name: 'minutes', ms: 60_000 },
  ];
  const unit = units.find(({ ms }) => to - from >= 2 * ms) ?? { name: 'seconds', ms: 1000 };
  return `x-axis "${unit.name} since ${formatTime(from)}" 0 --> ${((to - from) / unit.ms).toFixed(2)}`;
}
