import type { Aggregate, Condition, Operator } from '../gate/conditions.ts';
import { decidingOf, type Gate } from '../gate/judge.ts';
import { metricKind } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
import { formatBytes, formatBytesEvenly, formatCount } from '../text/format.ts';
import { figureOver, formatFigure } from './breaches.ts';
import { drawChart, MIN_SAMPLES } from './chart.ts';
import { type Cell, code, concat, type Html, html, table, unbroken } from './html.ts';
import type { Report } from './report.ts';

/** The sandbox's figures and their limits, a chart, and the size that would be enough. */
export function statsSection(report: Report): Html[] {
  return [...statsTable(report), ...drawChart(report.samples, report.gate), ...sizeHint(report)];
}

const MAX_CONDITIONS = 30;
const RESOURCES = new Map(Object.entries({ cpu: 'CPU', mem: 'Memory', disk: 'Disk' }));

/** A row for each resource, and for each other metric that was judged. */
function statsTable({ samples, gate }: Report): Html[] {
  const conditions = [...gate.failIf, ...gate.warnIf].slice(0, MAX_CONDITIONS);
  const bySubject = Map.groupBy(conditions, subjectOf);
  const subjects = new Set([...RESOURCES.keys(), ...bySubject.keys()]);
  const rows = [...subjects].flatMap(subject =>
    statsRow(subject, bySubject.get(subject) ?? [], samples, gate),
  );
  if (samples.length === 0 || rows.length === 0) return [];
  return [table(['', samples.length > 1 ? 'Peak' : 'Now', 'Limit', 'Mean'], rows)];
}

function subjectOf({ metric }: Condition): string {
  return /^(cpu|mem|disk)_/.exec(metric)?.[1] ?? metric;
}

function statsRow(
  subject: string,
  conditions: readonly Condition[],
  samples: readonly Sample[],
  gate: Gate,
): Cell[][] {
  const peak = describeUse(subject, samples.length > 1 ? 'max' : 'last', samples);
  const mean = samples.length > 1 ? describeUse(subject, 'mean', samples) : '';
  const total = describeTotal(subject, samples);
  if (peak === '' && total === '' && conditions.length === 0) return [];
  const name = html`${RESOURCES.get(subject) ?? code(subject)}`;
  const heading = total === '' ? name : html`${name} (${unbroken(total)})`;
  const limits = conditions.map(condition => limitCell(condition, gate, conditions.length > 1));
  return [
    [
      heading,
      `${worstMark(conditions, gate)}${peak || 'not reported'}`,
      limits.length === 0 ? '' : concat(limits, '<br>'),
      mean,
    ],
  ];
}

/** One aggregate of what is used, with its share: `1.0 GiB (25.0 %)`. */
function describeUse(subject: string, aggregate: Aggregate, samples: readonly Sample[]): string {
  const [used, share, own] = [`${subject}_used`, `${subject}_used_pct`, subject].map(metric =>
    formatAggregate(metric, aggregate, samples),
  );
  if (used && share) return `${used} (${share})`;
  return used || share || own || '';
}

function describeTotal(subject: string, samples: readonly Sample[]): string {
  if (subject !== 'cpu') {
    const total = formatAggregate(`${subject}_total`, 'last', samples);
    return total === '0 B' ? '' : total;
  }
  const cores = formatAggregate('cpu_count', 'last', samples);
  return cores && formatCount(Number(cores), 'core');
}

/** Empty if no sample reports the metric. */
function formatAggregate(metric: string, aggregate: Aggregate, samples: readonly Sample[]): string {
  const figure = figureOver(metric, aggregate, samples);
  if (figure === undefined) return '';
  const kind = metricKind(metric);
  if (kind === 'percentage') return `${figure.toFixed(1)} %`;
  return kind === 'bytes' ? formatBytesEvenly(figure) : formatFigure(metric, figure);
}

const MARKS = { fail: '❌ ', warn: '⚠️ ', pass: '✅ ' } as const;

function levelOf(condition: Condition, { breaches }: Gate): keyof typeof MARKS {
  return breaches.find(breach => breach.condition === condition)?.level ?? 'pass';
}

function worstMark(conditions: readonly Condition[], gate: Gate): string {
  const marks = conditions.map(condition => levelOf(condition, gate));
  const worst = (['fail', 'warn', 'pass'] as const).find(mark => marks.includes(mark));
  return worst === undefined ? '' : MARKS[worst];
}

// A condition says what trips, the column what is allowed.
const BOUNDS: Readonly<Record<Operator, string>> = {
  '>': '',
  '>=': '',
  '<': 'min. ',
  '<=': 'min. ',
  '==': 'not ',
  '!=': 'only ',
};

/** A condition's limit: `90 %`, `min. 512 MiB free`. Of several, those that tripped are marked. */
function limitCell(condition: Condition, gate: Gate, isOneOfSeveral: boolean): Html {
  const { metric, aggregate = '', operator } = condition;
  const usual = decidingOf({ ...condition, aggregate: undefined });
  const isUsual = aggregate === '' || aggregate === usual;
  const mark = levelOf(condition, gate);
  const limit = formatFigure(metric, condition.limit);
  const text = [
    isOneOfSeveral && mark !== 'pass' ? MARKS[mark] : '',
    isUsual ? '' : `${aggregate} `,
    `${BOUNDS[operator]}${limit}`,
    metric.endsWith('_free') ? ' free' : '',
    gate.warnIf.includes(condition) ? ' (warn)' : '',
  ];
  return unbroken(text.join(''));
}

/** The rule is in docs/summary.md. If the sandbox was not seen all the time, nobody can say. */
function sizeHint({ task, samples, errors, cancelled }: Report): Html[] {
  const peak = figureOver('mem_used', 'max', samples);
  const total = samples.at(-1)?.figures.get('mem_total') ?? 0;
  const isSeen = samples.length >= MIN_SAMPLES && errors.length === 0 && !cancelled;
  if (task !== 'monitor' || !isSeen || peak === undefined) return [];
  const size = sizeFor(peak);
  if (size >= total) return [];
  const most = `Peak ${formatBytes(peak)} of ${formatBytes(total)}`;
  return [html`<p>${most}: a sandbox with ${formatBytes(size)} would have been enough.</p>`];
}

/** The smallest of 512 MiB, 768 MiB, 1 GiB, 1.5 GiB and so on that holds 125 % of a peak. */
export function sizeFor(peak: number): number {
  const needed = Math.max(peak * 1.25, 2 ** 29);
  const power = 2 ** Math.ceil(Math.log2(needed));
  return needed <= power * 0.75 ? power * 0.75 : power;
}
