import type { Condition, GateJudgement, Judgement } from '../gate/judge.ts';
import { aggregateOf, type Unit, unitOf } from '../gate/metrics.ts';
import type { Sample } from '../stats/samples.ts';
import { inlineCode } from '../text/escape.ts';
import { formatBytes, formatCount, formatDecimal, formatNumber } from '../text/format.ts';
import { concat, type Html, html, MAX_ITEMS, prose, unbroken } from './html.ts';
import type { MeasuredSection } from './stats-section.ts';

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

/** Formats a judged figure, unrounded if rounding would make it look equal to the limit. */
export function formatJudged({ metric, limit }: Condition, figure: number): string {
  const text = formatFigure(metric, figure);
  if (figure === limit || text !== formatFigure(metric, limit)) return text;
  return `${figure}${EXACT_UNITS[unitOf(metric) ?? 'plain']}`;
}

const EXACT_UNITS: Readonly<Record<Unit, string>> = {
  percentage: ' %',
  bytes: ' B',
  mebibytes: ' MiB',
  plain: '',
};

export function judgementLine(judgement: Judgement): string {
  const { condition } = judgement;
  const { text } = condition;
  if (judgement.holds === undefined) return `\`${text}\` cannot be judged: ${judgement.why}`;
  const result = judgement.holds ? 'tripped:' : 'does not hold: it was';
  return `\`${text}\` ${result} ${formatJudged(condition, judgement.figure)}`;
}

interface Resource {
  readonly name: string;
  /** Metrics of the amount in use (if there is one) and of the percentage. */
  readonly used: readonly string[];
  readonly total: string;
  readonly free: string;
}

const RESOURCES: readonly Resource[] = [
  { name: 'CPU', used: ['cpu_used_pct'], total: 'cpu_count', free: '' },
  { name: 'memory', used: ['mem_used', 'mem_used_pct'], total: 'mem_total', free: 'mem_free' },
  { name: 'disk', used: ['disk_used', 'disk_used_pct'], total: 'disk_total', free: 'disk_free' },
];

/** Returns the resource of a metric. An unknown metric is its own resource. */
function resourceOf(metric: string): Resource {
  const inBytes = metric.replace(/_mib$/, '');
  const known = RESOURCES.find(({ used, free }) => used.includes(inBytes) || free === metric);
  return known ?? { name: inlineCode(metric), used: [metric], total: '', free: '' };
}

export function formatMetric(metric: string): string {
  const { name, free } = resourceOf(metric);
  return metric === free ? `free ${name}` : name;
}

export function describeUsage(samples: readonly Sample[]): string {
  const peaks = RESOURCES.flatMap(resource =>
    formatPeaks(resource, samples)
      .slice(-1)
      .map(peak => `${resource.name} ${peak}`),
  );
  const figures = peaks.join(', ') || 'no CPU, memory or disk usage';
  return samples.length === 1
    ? `The sandbox reports ${figures}`
    : `Peak over ${formatNumber(samples.length)} samples: ${figures}`;
}

function formatPeaks({ used }: Resource, samples: readonly Sample[]): string[] {
  return used.flatMap(metric => {
    const figure = aggregateOf('max', metric, samples);
    return figure === undefined ? [] : formatFigure(metric, figure);
  });
}

export function figuresTable({ samples, gate }: MeasuredSection): Html[] {
  const judgements = gate.judgements.slice(0, MAX_ITEMS);
  const metrics = new Set(judgements.map(({ condition }) => condition.metric));
  const resources = new Set([...RESOURCES, ...[...metrics].map(resourceOf)]);
  const rows = [...resources].flatMap(resource => describeResource(resource, judgements, samples));
  if (samples.length === 0 || rows.length === 0) return [];
  const headings = ['', samples.length > 1 ? 'Peak' : 'Now', 'Trips if'];
  const columns = judgements.length === 0 ? 2 : 3;
  const head = tableRow('th', headings.slice(0, columns));
  const body = rows.map(cells => tableRow('td', cells.slice(0, columns)));
  return [html`<table>\n${concat([head, ...body])}</table>`];
}

function tableRow(tag: 'th' | 'td', cells: readonly (Html | string)[]): Html {
  const aligned = cells.map(
    (cell, column) => html`<${tag} align="${column === 0 ? 'left' : 'right'}">${cell}</${tag}>`,
  );
  return html`<tr>${concat(aligned)}</tr>\n`;
}

/** Returns the cells of a row, or no row if the resource is neither reported nor judged. */
function describeResource(
  resource: Resource,
  judgements: readonly GateJudgement[],
  samples: readonly Sample[],
): (Html | string)[][] {
  const [first, second] = formatPeaks(resource, samples).map(unbroken);
  const conditions = judgements
    .filter(({ condition }) => resourceOf(condition.metric).name === resource.name)
    .map(describeCondition);
  if (first === undefined && conditions.length === 0) return [];
  const peak = html`${first ?? 'not reported'}${second === undefined ? '' : html` (${second})`}`;
  return [[formatResource(resource, samples), peak, concat(conditions, '<br>')]];
}

function formatResource({ name, total }: Resource, samples: readonly Sample[]): Html {
  const heading = prose(`${name.charAt(0).toUpperCase()}${name.slice(1)}`);
  const figure = aggregateOf('last', total, samples);
  if (!figure) return heading;
  const size = total === 'cpu_count' ? formatCount(figure, 'core') : formatFigure(total, figure);
  return html`${heading} (${unbroken(size)})`;
}

const BREACH_MARKS = { fail: '❌', warn: '⚠️' } as const;

/** Returns a cell such as `❌ > 90 %`, `✅ mean > 80 % (45.1 %)` or `> 90 % (not judged)`. */
function describeCondition(judgement: GateJudgement): Html {
  const { metric, aggregate, operator, limit } = judgement.condition;
  const prefix = aggregate === undefined ? '' : `${aggregate} `;
  const comparison = unbroken(`${prefix}${operator} ${formatFigure(metric, limit)}`);
  const condition = html`${comparison}${metric === resourceOf(metric).free ? ' free' : ''}`;
  if (judgement.holds === undefined) return html`${condition} (not judged)`;
  const mark = judgement.holds ? BREACH_MARKS[judgement.level] : '✅';
  // A condition without an aggregate judges each sample, so it has no single figure. If it tripped,
  // the reasons name the sample.
  const figure =
    aggregate === undefined ? '' : ` (${formatJudged(judgement.condition, judgement.figure)})`;
  return html`${mark}&nbsp;${condition}${figure}`;
}
