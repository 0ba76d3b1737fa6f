import { type Condition, overallLabelsOf } from '../gate/conditions.ts';
import { type Gate, type Judgement, judge } from '../gate/judge.ts';
import {
  AGGREGATE_NAMES,
  AGGREGATES,
  type Aggregate,
  aggregateOf,
  type Unit,
  unitOf,
} from '../gate/metrics.ts';
import { type Sample } from '../stats/sample.ts';
import { inlineCode } from '../text/escape.ts';
import {
  formatBytes,
  formatCount,
  formatDecimal,
  formatNumber,
  formatTime,
} from '../text/format.ts';
import { code, concat, type Html, html, table, unbroken } from './html.ts';
import type { MeasuredSection } from './measured-section.ts';

/** Formats a figure in its metric's unit: `93.2 %`, `512 MiB`, `4`. */
export function formatFigure(metric: string, figure: number): string {
  return FORMATS[unitOf(metric) ?? 'plain'](figure);
}

const FORMATS: Readonly<Record<Unit, (figure: number) => string>> = {
  percentage: figure => `${formatDecimal(figure, 1)} %`,
  bytes: formatBytes,
  mebibytes: figure => formatBytes(figure * 2 ** 20),
  plain: figure => formatDecimal(figure, 2),
};

/** Describes how a condition tripped, or why it cannot be judged. */
export function breachLine(breach: Judgement, samples: readonly Sample[]): string {
  if (breach.holds === undefined) return judgementLine(breach);
  const { condition, figure } = breach;
  const { text, metric, aggregate } = condition;
  const tripped = `\`${text}\` tripped: ${formatFigure(metric, figure)}`;
  if (samples.length < 2) return tripped;
  const allSamples = formatCount(samples.length, 'sample');
  const overall = overallLabelsOf(condition);
  if (overall !== undefined) return `${tripped} ${overall.words} ${allSamples}`;
  const first = samples.find(({ figures }) => figures.get(metric) === figure);
  const decisive = aggregate === 'last' ? samples.at(-1) : first;
  const line = `${tripped} at ${formatTime(decisive?.at ?? 0)}`;
  if (aggregate !== undefined) return line;
  const count = samples.filter(sample => judge(condition, [sample]).holds).length;
  return `${line}, in ${formatNumber(count)} of ${allSamples}`;
}

interface Resource {
  readonly name: string;
  /** Metrics of the amount in use (if there is one) and of the percentage. */
  readonly used: readonly string[];
  readonly total: string;
  /** Metrics that messages call by the resource's name. */
  readonly metrics: readonly string[];
}

export const RESOURCES: readonly Resource[] = [
  { name: 'CPU', used: ['cpu_used_pct'], total: 'cpu_count', metrics: ['cpu_used_pct'] },
  {
    name: 'memory',
    used: ['mem_used', 'mem_used_pct'],
    total: 'mem_total',
    metrics: ['mem_used', 'mem_used_mib', 'mem_used_pct', 'mem_free'],
  },
  {
    name: 'disk',
    used: ['disk_used', 'disk_used_pct'],
    total: 'disk_total',
    metrics: ['disk_used', 'disk_used_pct', 'disk_free'],
  },
];

/** Describes a breach in a few words, such as `memory 93 % > 90 %`. */
export function nameBreach(breach: Judgement): string {
  const { text, metric, aggregate, operator, limit } = breach.condition;
  if (breach.holds === undefined) return `\`${text}\` cannot be judged`;
  const suffix = aggregate === undefined ? '' : ` ${aggregate}`;
  const comparison = `${formatFigure(metric, breach.figure)} ${operator} ${formatFigure(metric, limit)}`;
  return `${nameMetric(metric)}${suffix} ${comparison}`;
}

function nameMetric(metric: string): string {
  const resource = RESOURCES.find(({ metrics }) => metrics.includes(metric));
  if (resource === undefined) return inlineCode(metric);
  return isFree(metric) ? `free ${resource.name}` : resource.name;
}

export function isFree(metric: string): boolean {
  return metric.endsWith('_free');
}

/** Explains why a condition does not hold, or why it cannot be judged. */
export function judgementLine(judgement: Judgement): string {
  const { text, metric } = judgement.condition;
  if (judgement.holds === undefined) return `\`${text}\` cannot be judged: ${judgement.why}`;
  return `\`${text}\` does not hold: it was ${formatFigure(metric, judgement.figure)}`;
}

export function describeUsage(samples: readonly Sample[]): string {
  if (samples.length === 0) return 'No stats were read';
  const peaks = RESOURCES.flatMap(({ name, used }) => {
    const metric = used.at(-1) ?? '';
    const figure = aggregateOf('max', metric, samples);
    return figure === undefined ? [] : `${name} ${formatFigure(metric, figure)}`;
  });
  const figures = peaks.join(', ') || 'no CPU, memory or disk usage';
  return samples.length === 1
    ? `The sandbox reports ${figures}`
    : `Peak over ${formatNumber(samples.length)} samples: ${figures}`;
}

const MAX_CONDITIONS = 30;

export function figuresTable({ samples, gate }: MeasuredSection): Html[] {
  if (samples.length === 0) return [];
  const conditions = [...gate.failIf, ...gate.warnIf].slice(0, MAX_CONDITIONS);
  const others = new Set(conditions.map(({ metric }) => metric)).difference(
    new Set(RESOURCE_ROWS.flatMap(({ metrics }) => metrics)),
  );
  const rows = [...RESOURCE_ROWS, ...[...others].map(metricRow)].flatMap(row => {
    const judged = conditions.filter(({ metric }) => row.metrics.includes(metric));
    const peak = describeFigures(row.used, 'max', samples);
    if (peak === undefined && judged.length === 0) return [];
    const overall = OVERALL.map(({ name }) => describeJudged(row, name, judged, samples));
    const marked = judged.map(condition => markCondition(condition, gate));
    const heading = html`${row.heading}${describeTotal(row, samples)}`;
    return [[heading, peak ?? html`not reported`, ...overall, concat(marked, '<br>')]];
  });
  const headings = OVERALL.map(({ heading }) => heading);
  return table(['', samples.length > 1 ? 'Peak' : 'Now', ...headings, 'Trips if'], rows);
}

// Aggregates with a column in the table, which is hidden unless a condition uses it.
const OVERALL = AGGREGATE_NAMES.flatMap(name => {
  const { overall } = AGGREGATES[name];
  return overall === undefined ? [] : [{ name, heading: overall.heading }];
});

interface Row {
  readonly heading: Html;
  readonly used: readonly string[];
  readonly total: string;
  /** Metrics whose conditions this row shows. */
  readonly metrics: readonly string[];
}

const RESOURCE_ROWS = RESOURCES.map(resource => {
  const { name } = resource;
  return { ...resource, heading: html`${name.charAt(0).toUpperCase()}${name.slice(1)}` };
});

function metricRow(metric: string): Row {
  return { heading: code(metric), used: [metric], total: '', metrics: [metric] };
}

function describeTotal({ total }: Row, samples: readonly Sample[]): Html {
  const figure = aggregateOf('last', total, samples);
  if (!figure) return html``;
  const size = total === 'cpu_count' ? formatCount(figure, 'core') : formatFigure(total, figure);
  return html` (${unbroken(size)})`;
}

/** Shows free memory separately: its p95 is not the total minus the p95 of used memory. */
function describeJudged(
  row: Row,
  aggregate: Aggregate,
  conditions: readonly Condition[],
  samples: readonly Sample[],
): Html {
  const judged = conditions.filter(condition => condition.aggregate === aggregate);
  const cells = judged.map(({ metric }) => {
    const figures = isFree(metric) ? [metric] : row.used;
    const cell = describeFigures(figures, aggregate, samples);
    return cell === undefined ? '' : `${cell.html}${isFree(metric) ? ' free' : ''}`;
  });
  return { html: [...new Set(cells)].join('<br>') };
}

function describeFigures(
  metrics: readonly string[],
  aggregate: Aggregate,
  samples: readonly Sample[],
): Html | undefined {
  const [first, second] = metrics.flatMap(metric => {
    const figure = aggregateOf(aggregate, metric, samples);
    return figure === undefined ? [] : [unbroken(formatFigure(metric, figure))];
  });
  return first === undefined || second === undefined ? first : html`${first} (${second})`;
}

const BREACH_MARKS = { fail: '❌', warn: '⚠️' } as const;

/** Returns a cell such as `❌ mean > 90 %`, `✅ < 512 MiB free` or `> 90 % (not judged)`. */
function markCondition(condition: Condition, { breaches, warnIf }: Gate): Html {
  const { metric, aggregate, operator, limit } = condition;
  const breach = breaches.find(each => each.condition === condition);
  const isJudged = breach === undefined || breach.holds !== undefined;
  const mark = html`${breach === undefined ? '✅' : BREACH_MARKS[breach.level]}&nbsp;`;
  const prefix = aggregate === undefined ? '' : `${aggregate} `;
  const notes = [warnIf.includes(condition) ? 'warn' : [], isJudged ? [] : 'not judged'].flat();
  const free = isFree(metric) ? ' free' : '';
  const suffix = notes.length > 0 ? ` (${notes.join(', ')})` : '';
  const comparison = unbroken(`${operator} ${formatFigure(metric, limit)}`);
  return html`${isJudged ? mark : ''}${prefix}${comparison}${free}${suffix}`;
}
