import type { Condition } from '../gate/conditions.ts';
import type { Gate } from '../gate/judge.ts';
import { AGGREGATE_NAMES, AGGREGATES, type Aggregate, aggregateOf } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
import { formatCount } from '../text/format.ts';
import { formatFigure, isFree, RESOURCES } from './figure-texts.ts';
import { code, concat, type Html, html, table, unbroken } from './html.ts';
import type { MeasuredSection } from './measured-section.ts';

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
