import type { Condition } from '../gate/conditions.ts';
import { toNumber } from '../gate/exact-number.ts';
import type { Gate } from '../gate/judge.ts';
import type { Figures } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
import { formatDuration, formatTime } from '../text/units.ts';
import { type Html, html } from './html.ts';

/** Fewer readings say no more than their figures. */
export const MIN_READINGS = 10;

// More points would be narrower than a few pixels; the platform draws charts of at most 50,000 characters.
const MAX_POINTS = 60;

// Beyond any percentage, a chart's axis would drown everything else.
const MAX_PERCENT = 1000;
const MAX_LIMITS = 8;

interface Series {
  readonly kind: 'line' | 'bar';
  /** In the legend. */
  readonly name: string;
  readonly colour: string;
  readonly points: readonly (number | undefined)[];
}

// Colours that are seen on white and on black.
const PLOTS = [
  { kind: 'line', name: '🟦 CPU', colour: '#388bfd', metric: 'cpu_used_pct', part: undefined },
  { kind: 'line', name: '🟪 memory', colour: '#a371f7', metric: 'mem_used_pct', part: 'mem' },
  { kind: 'line', name: '🟩 disk', colour: '#2da44e', metric: 'disk_used_pct', part: 'disk' },
] as const;
const LIMITS = [
  { kind: 'line', name: '🟥 limits of fail-if', colour: '#e5484d', level: 'failIf' },
  { kind: 'line', name: '🟨 limits of warn-if', colour: '#bf8700', level: 'warnIf' },
] as const;
// Mermaid draws no line in pieces: bars hide it where nothing is known. Elsewhere they end far below the axis: one at it would be seen.
const GAPS = { kind: 'bar', name: 'grey: no readings', colour: '#8c959f' } as const;

/** A Mermaid chart of CPU, memory and disk over time, with the limits of the gate, below its legend. It holds nothing but numbers. */
export function timeChart(samples: readonly Sample[], gate: Gate): Html[] {
  const [first, last] = [samples[0], samples.at(-1)];
  if (samples.length < MIN_READINGS || first === undefined || last === undefined) return [];
  const size = Math.min(MAX_POINTS, samples.length);
  const courses = PLOTS.map(plot => ({ ...plot, points: overTime(plot.metric, samples, size) }));
  const lines = courses.filter(({ points }) => points.some(point => point !== undefined));
  if (lines.length === 0) return [];
  const limits = LIMITS.flatMap(({ level, ...look }) =>
    limitsOf(gate[level], last.figures).map(limit => ({ ...look, points: Array<number>(size).fill(limit) })),
  );
  const shown = [...lines, ...limits].flatMap(({ points }) => bridged(points));
  const [low, high] = [Math.min(0, Math.floor(Math.min(...shown))), Math.max(100, Math.ceil(Math.max(...shown)))];
  const gaps = Array.from({ length: size }, (_, index) => lines.some(({ points }) => isGap(points, index)));
  const bars = gaps.includes(true) ? [{ ...GAPS, points: gaps.map(gap => (gap ? high : 2 * low - high)) }] : [];
  const series = [...lines, ...bars, ...limits];
  const legend = [...new Set(series.map(({ name }) => name))].join(' · ');
  const span = `${formatTime(first.at)} to ${formatTime(last.at)}, ${formatDuration(Math.max(last.at - first.at, 0))}`;
  return [html`<p>In percent: ${legend}</p>`, { html: mermaid(series, `y-axis ${low} --> ${high}`, span) }];
}

function mermaid(series: readonly Series[], axis: string, span: string): string {
  const colours = series.map(({ colour }) => colour);
  const style = {
    xyChart: { width: 800, height: 280, xAxis: { showLabel: false, showTick: false } },
    themeVariables: { xyChart: { backgroundColor: 'transparent', plotColorPalette: colours.join(', ') } },
  };
  const list = (numbers: readonly (number | string)[]) => `[${numbers.join(', ')}]`;
  const lines = [
    `%%{init: ${JSON.stringify(style)}}%%`,
    'xychart-beta',
    `  x-axis "${span}" ${list([...(series[0]?.points.keys() ?? [])])}`,
    `  ${axis}`,
    ...series.map(({ kind, points }) => `  ${kind} ${list(bridged(points).map(number => number.toFixed(2)))}`),
  ];
  return ['```mermaid', ...lines, '```'].join('\n');
}

/** Values of a metric at even distances in time: the highest where several fall together, undefined where none does. */
function overTime(metric: string, samples: readonly Sample[], size: number): (number | undefined)[] {
  const start = samples[0]?.at ?? 0;
  const length = Math.max((samples.at(-1)?.at ?? 0) - start, 1);
  const grid: (number | undefined)[] = Array.from({ length: size });
  for (const { at, figures } of samples) {
    const figure = figures.get(metric);
    if (figure === undefined) continue;
    const value = clamp(Number(figure), -MAX_PERCENT, MAX_PERCENT);
    const place = clamp(Math.round(((at - start) / length) * (size - 1)), 0, size - 1);
    grid[place] = Math.max(grid[place] ?? value, value);
  }
  return grid;
}

/** Whether nothing is known at two places or more; one alone comes of readings that are not quite regular. */
function isGap(points: readonly (number | undefined)[], index: number): boolean {
  const isMissing = (at: number) => at in points && points[at] === undefined;
  return isMissing(index) && (isMissing(index - 1) || isMissing(index + 1));
}

/** The points, with the one before where there is none, or the first. */
function bridged(points: readonly (number | undefined)[]): number[] {
  let before = points.find(point => point !== undefined) ?? 0;
  return points.map(point => {
    before = point ?? before;
    return before;
  });
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** The conditions' limits in percent, each once; those of bytes are parts of the total of the last sample. */
function limitsOf(conditions: readonly Condition[], last: Figures): number[] {
  const limits = PLOTS.flatMap(({ metric, part }) => {
    const total = part === undefined ? Number.NaN : Number(last.get(`${part}_total`));
    const percent = (bytes: number) => (100 * bytes) / total;
    return conditions.flatMap(condition => {
      const limit = toNumber(condition.limit);
      if (condition.metric === metric) return limit;
      if (condition.metric === `${part}_used`) return percent(limit);
      if (condition.metric === `${part}_used_mib`) return percent(limit * 2 ** 20);
      return condition.metric === `${part}_free` ? 100 - percent(limit) : [];
    });
  });
  return [...new Set(limits)].filter(limit => Math.abs(limit) <= MAX_PERCENT).slice(0, MAX_LIMITS);
}
