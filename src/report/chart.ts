import type { Condition } from '../gate/judge.ts';
import { aggregateOf, type Sample } from '../gate/metrics.ts';
import type { StatsResult } from '../stats/stats.ts';
import { formatTime } from '../text/format.ts';
import { formatMetric } from './figures.ts';
import { type Html, html } from './html.ts';

// With fewer samples, a chart adds nothing to the table.
const MIN_SAMPLES = 10;

// Charts are 800 px wide, so more points would be hard to tell apart.
const MAX_POINTS = 60;

// Mermaid has no dashed lines, so limits have a color of their own.
const LIMIT_COLOR = '#d1242f';

// These colors are readable in GitHub's light and dark themes.
const PLOTS = [
  { mark: '🟦', color: '#388bfd', metric: 'cpu_used_pct' },
  { mark: '🟪', color: '#a371f7', metric: 'mem_used_pct' },
  { mark: '🟩', color: '#2da44e', metric: 'disk_used_pct' },
] as const;

interface Line {
  readonly color: string;
  readonly figures: readonly number[];
}

/** Draws the samples one after the other, since a line of Mermaid cannot show a gap in time. */
export function drawChart({ samples, gate }: StatsResult): Html[] {
  const perPoint = Math.ceil(samples.length / MAX_POINTS);
  const points = [...Map.groupBy(samples, (_, index) => Math.floor(index / perPoint)).values()];
  const plots = PLOTS.map(plot => {
    const peaks = points.flatMap(point => aggregateOf('max', plot.metric, point) ?? []);
    return { ...plot, figures: peaks };
  });
  // Leave out a metric that any point lacks, since its line would have a hole.
  const complete = plots.filter(({ figures }) => figures.length === points.length);
  if (samples.length < MIN_SAMPLES || complete.length === 0) return [];
  // The lines show single samples, so the limit of a mean or percentile would mislead.
  const limits = gate.judgements
    .map(({ condition }) => condition)
    .filter(({ aggregate }) => aggregate === undefined)
    .filter(condition => complete.some(({ metric }) => metric === condition.metric));
  const lines = [
    ...complete,
    ...limits.map(({ limit }) => ({ color: LIMIT_COLOR, figures: points.map(() => limit) })),
  ];
  const legend = complete.map(({ mark, metric }) => `${mark} ${formatMetric(metric)}`);
  if (limits.length > 0) legend.push(`🟥 limit: ${limits.map(nameLimit).join(', ')}`);
  return [html`<p>In percent: ${legend.join(' · ')}</p>`, renderChart(samples, lines)];
}

function nameLimit({ metric, limitText }: Condition): string {
  return `${formatMetric(metric)} ${limitText}`;
}

function renderChart(samples: readonly Sample[], lines: readonly Line[]): Html {
  const [from = 0, to = from] = [samples[0]?.at, samples.at(-1)?.at];
  const axis = `${samples.length} samples from ${formatTime(from)} to ${formatTime(to)}`;
  const top = Math.max(100, ...lines.flatMap(({ figures }) => figures));
  const plotColorPalette = lines.map(({ color }) => color).join(', ');
  const style = {
    // The title gives the range, and on a phone, the last label would run off the screen.
    xyChart: { width: 800, height: 320, xAxis: { showLabel: false, showTick: false } },
    themeVariables: { xyChart: { backgroundColor: 'transparent', plotColorPalette } },
  };
  const chart = [
    '```mermaid',
    `%%{init: ${JSON.stringify(style)}}%%`,
    'xychart-beta',
    '  accTitle: CPU, memory and disk over time',
    `  accDescr: ${axis}, in percent`,
    `  x-axis "${axis}" 1 --> ${samples.length}`,
    `  y-axis 0 --> ${Math.ceil(top)}`,
    ...lines.map(({ figures }) => `  line [${figures.map(each => each.toFixed(2)).join(', ')}]`),
    '```',
  ];
  return { html: chart.join('\n') };
}
