import { AGGREGATE_NAMES, AGGREGATES, type Aggregate, aggregateOf } from '../gate/aggregates.ts';
import { type Condition, overallLabelsOf } from '../gate/conditions.ts';
import { type Gate, type Judgement, judge } from '../gate/judge.ts';
import { type Unit, unitOf } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
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

const NAMES: ReadonlyMap<string, string> = new Map([
  ['cpu_used_pct', 'CPU'],
  ['mem_used', 'memory'],
  ['mem_used_mib', 'memory'],
  ['mem_used_pct', 'memory'],
  ['mem_free', 'free memory'],
  ['disk_used', 'disk'],
  ['disk_used_pct', 'disk'],
  ['disk_free', 'free disk'],
]);

const USED = ['cpu_used_pct', 'mem_used_pct', 'disk_used_pct'];

/** Describes a breach in a few words, such as `memory 93 % > 90 %`. */
export function nameBreach(breach: Judgement): string {
  const { text, metric, aggregate, operator, limit } = breach.condition;
  if (breach.holds === undefined) return `\`${text}\` cannot be judged`;
  const suffix = aggregate === undefined ? '' : ` ${aggregate}`;
  const comparison = `${formatFigure(metric, breach.figure)} ${operator} ${formatFigure(metric, limit)}`;
  return `${nameMetric(metric)}${suffix} ${comparison}`;
}

function nameMetric(metric: string): string {
  return NAMES.get(metric) ?? inlineCode(metric);
}

/** Explains why a condition does not hold, or why it cannot be judged. */
export function judgementLine(judgement: Judgement): string {
  const { text, metric } = judgement.condition;
  if (judgement.holds === undefined) return `\`${text}\` cannot be judged: ${judgement.why}`;
  return `\`${text}\` does not hold: it was ${formatFigure(metric, judgement.figure)}`;
}

export function describeUsage(samples: readonly Sample[]): string {
  if (samples.length === 0) return 'No stats were read';
  const used = USED.flatMap(metric => {
    const figure = aggregateOf('max', metric, samples);
    return figure === undefined ? [] : `${nameMetric(metric)} ${formatFigure(metric, figure)}`;
  });
  const figures = used.join(', ') || 'no CPU, memory or disk usage';
  return samples.length === 1
    ? `The sandbox reports ${figures}`
    : `Peak over ${formatNumber(samples.length)} samples: ${figures}`;
}

interface Row {
  readonly name: Html;
  /** One metric, or two if the second is the first as a percentage. */
  readonly figures: readonly string[];
  readonly total?: string;
  /** Metrics whose conditions this row shows. */
  readonly judged: readonly string[];
}

const ROWS: readonly Row[] = [
  { name: html`CPU`, figures: ['cpu_used_pct'], total: 'cpu_count', judged: ['cpu_used_pct'] },
  {
    name: html`Memory`,
    figures: ['mem_used', 'mem_used_pct'],
    total: 'mem_total',
    judged: ['mem_used', 'mem_used_mib', 'mem_used_pct', 'mem_free'],
  },
  {
    name: html`Disk`,
    figures: ['disk_used', 'disk_used_pct'],
    total: 'disk_total',
    judged: ['disk_used', 'disk_used_pct', 'disk_free'],
  },
];

const MAX_CONDITIONS = 30;

export function figuresTable({ samples, gate }: MeasuredSection): Html[] {
  if (samples.length === 0) return [];
  const conditions = [...gate.failIf, ...gate.warnIf].slice(0, MAX_CONDITIONS);
  const inRows = new Set(ROWS.flatMap(({ judged }) => judged));
  const otherMetrics = new Set(conditions.map(({ metric }) => metric)).difference(inRows);
  const rows = [...ROWS, ...[...otherMetrics].map(rowOf)].flatMap(row => {
    const judged = conditions.filter(({ metric }) => row.judged.includes(metric));
    const peak = describeFigures(row.figures, 'max', samples);
    if (peak === undefined && judged.length === 0) return [];
    const overall = OVERALL.map(({ name }) => describeJudged(row, name, judged, samples));
    const marked = judged.map(condition => markCondition(condition, gate));
    const name = html`${row.name}${describeTotal(row, samples)}`;
    return [[name, peak ?? html`not reported`, ...overall, concat(marked, '<br>')]];
  });
  const headings = OVERALL.map(({ heading }) => heading);
  return table(['', samples.length > 1 ? 'Peak' : 'Now', ...headings, 'Trips if'], rows);
}

// Each has a column of its own if a condition uses it.
const OVERALL = AGGREGATE_NAMES.flatMap(name => {
  const { overall } = AGGREGATES[name];
  return overall === undefined ? [] : [{ name, heading: overall.heading }];
});

function rowOf(metric: string): Row {
  return { name: code(metric), figures: [metric], judged: [metric] };
}

function describeTotal({ total = '' }: Row, samples: readonly Sample[]): Html {
  const figure = aggregateOf('last', total, samples);
  if (!figure) return html``;
  const size = total === 'cpu_count' ? formatCount(figure, 'core') : formatFigure(total, figure);
  return html` (${unbroken(size)})`;
}

/** Describes free memory as such: its 95th percentile is not what that of used memory leaves. */
function describeJudged(
  row: Row,
  aggregate: Aggregate,
  conditions: readonly Condition[],
  samples: readonly Sample[],
): Html {
  const judged = conditions.filter(condition => condition.aggregate === aggregate);
  const cells = judged.map(({ metric }) => {
    const figures = isFree(metric) ? [metric] : row.figures;
    const cell = describeFigures(figures, aggregate, samples);
    return cell === undefined ? '' : `${cell.html}${isFree(metric) ? ' free' : ''}`;
  });
  return { html: [...new Set(cells)].join('<br>') };
}

function isFree(metric: string): boolean {
  return metric.endsWith('_free');
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
