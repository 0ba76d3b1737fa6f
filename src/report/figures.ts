import { formatJudged, type GateJudgement } from '../gate/judge.ts';
import { aggregateOf, formatFigure, type Sample } from '../gate/metrics.ts';
import type { StatsResult } from '../stats/stats.ts';
import { inlineCode } from '../text/escape.ts';
import { formatCount, formatNumber } from '../text/format.ts';
import { concat, type Html, html, MAX_ITEMS, prose, unbroken } from './html.ts';
import { sentenceCase } from './section.ts';

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

/** Returns `CPU 12 %, memory 40 %`, or the peaks of several samples. */
export function describeUsage(samples: readonly Sample[]): string {
  const peaks = RESOURCES.flatMap(resource =>
    formatPeaks(resource, samples)
      .slice(-1)
      .map(peak => `${resource.name} ${peak}`),
  );
  const figures = peaks.join(', ') || 'no CPU, memory or disk usage';
  return samples.length === 1
    ? figures
    : `peak of ${formatNumber(samples.length)} samples: ${figures}`;
}

function formatPeaks({ used }: Resource, samples: readonly Sample[]): string[] {
  return used.flatMap(metric => {
    const figure = aggregateOf('max', metric, samples);
    return figure === undefined ? [] : formatFigure(metric, figure);
  });
}

export function figuresTable({ samples, gate, monitored }: StatsResult): Html[] {
  const judgements = gate.judgements.slice(0, MAX_ITEMS);
  const metrics = new Set(judgements.map(({ condition }) => condition.metric));
  const resources = new Set([...RESOURCES, ...[...metrics].map(resourceOf)]);
  const rows = [...resources].flatMap(resource => describeResource(resource, judgements, samples));
  if (samples.length === 0 || rows.length === 0) return [];
  const [{ at } = { at: 0 }] = samples;
  const time = at > (monitored?.to ?? at) ? 'After its end' : 'Now';
  const headings = ['', samples.length > 1 ? 'Peak' : time, 'Allowed'];
  const columns = judgements.length > 0 ? 3 : 2;
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
  // A limit on what is free is easier to compare with that.
  const isFreeJudged = judgements.some(({ condition }) => condition.metric === resource.free);
  const least = isFreeJudged ? aggregateOf('min', resource.free, samples) : undefined;
  const free = least === undefined ? '' : html`<br>${formatFigure(resource.free, least)} free`;
  return [[formatResource(resource, samples), html`${peak}${free}`, concat(conditions, '<br>')]];
}

function formatResource({ name, total }: Resource, samples: readonly Sample[]): Html {
  const heading = prose(sentenceCase(name));
  const figure = aggregateOf('last', total, samples);
  if (!figure) return heading;
  const size = total === 'cpu_count' ? formatCount(figure, 'core') : formatFigure(total, figure);
  return html`${heading} (${unbroken(size)})`;
}

const TRIPPED_MARKS = { fail: '❌', warn: '⚠️' } as const;

/** Conditions say what trips them. The table says what is allowed, which is the opposite. */
const ALLOWED = { '>': '≤', '>=': '<', '<': '≥', '<=': '>', '==': '≠', '!=': '=' } as const;

/** Returns a cell such as `❌ ≤ 90 %`, `✅ mean ≤ 80 % (45.1 %)` or `≤ 90 % (not judged)`. */
function describeCondition(judgement: GateJudgement): Html {
  const { metric, aggregate, operator, limitText } = judgement.condition;
  const prefix = aggregate === undefined ? '' : `${aggregate} `;
  const suffix = metric === resourceOf(metric).free ? ' free' : '';
  const allowed = unbroken(`${prefix}${ALLOWED[operator]} ${limitText}${suffix}`);
  if (judgement.result === 'unknown') return html`${allowed} (not judged)`;
  const mark = judgement.result === 'true' ? TRIPPED_MARKS[judgement.level] : '✅';
  // A condition without an aggregate judges each sample, so it has no single figure.
  const figure =
    aggregate === undefined ? '' : ` (${formatJudged(judgement.condition, judgement.figure)})`;
  return html`${mark}&nbsp;${allowed}${figure}`;
}
