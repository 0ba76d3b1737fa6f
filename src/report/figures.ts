import type { Aggregate, Condition, Operator } from '../gate/conditions.ts';
import {
  aggregateOf,
  decidingOf,
  figuresOf,
  type Gate,
  type Judgement,
  judge,
} from '../gate/judge.ts';
import { type MetricKind, metricKind } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
import {
  abbreviate,
  formatBytes,
  formatCount,
  formatDecimal,
  formatNumber,
  formatTime,
} from '../text/format.ts';
import {
  code,
  concat,
  enumerate,
  type Html,
  html,
  literal,
  type Message,
  message,
  table,
  unbroken,
} from './html.ts';
import type { Report } from './report.ts';

/** Formats a metric's figure: `93.2 %`, `512 MiB`, `4`. */
export function formatFigure(metric: string, figure: number): string {
  return FORMATS[metricKind(metric) ?? 'plain'](figure);
}

const FORMATS: Readonly<Record<MetricKind, (figure: number) => string>> = {
  percentage: figure => `${formatDecimal(figure, 1)} %`,
  bytes: formatBytes,
  mebibytes: figure => formatBytes(figure * 2 ** 20),
  plain: figure => formatDecimal(figure, 2),
};

export function figureOver(
  metric: string,
  aggregate: Aggregate,
  samples: readonly Sample[],
): number | undefined {
  const all = samples.map(({ figures }) => figures);
  const figures = figuresOf(metric, all);
  return figures && aggregateOf(aggregate, figures);
}

export function breachMessage(breach: Judgement, samples: readonly Sample[]): Message {
  if (breach.holds === undefined) return unjudgedMessage(breach);
  const { text, metric } = breach.condition;
  const when = describeWhen(breach, samples);
  return message`${literal(text)} tripped: ${formatFigure(metric, breach.figure)}${when}`;
}

type Judged = Extract<Judgement, { holds: boolean }>;

/** Returns, for example, ` at 09:05:00 UTC, in 4 of 12 samples`. */
function describeWhen({ condition, figure }: Judged, samples: readonly Sample[]): string {
  const { metric, aggregate } = condition;
  if (samples.length < 2) return '';
  if (aggregate === 'mean') return ` on average of ${formatCount(samples.length, 'sample')}`;
  const sample =
    aggregate === 'last'
      ? samples.at(-1)
      : samples.find(({ figures }) => figures.get(metric) === figure);
  const time = ` at ${formatTime(sample?.at ?? 0)}`;
  if (aggregate !== undefined) return time;
  const tripped = samples.filter(({ figures }) => judge(condition, [figures]).holds);
  return `${time}, in ${formatNumber(tripped.length)} of ${formatCount(samples.length, 'sample')}`;
}

export function judgementLine(judgement: Judgement): string {
  if (judgement.holds === undefined) return unjudgedMessage(judgement).text;
  const { text, metric } = judgement.condition;
  return `\`${text}\` does not hold: it was ${formatFigure(metric, judgement.figure)}`;
}

// Agents may report hundreds of metrics.
const MAX_REPORTED = 30;

function unjudgedMessage({
  condition,
  samples,
  missing,
  reported,
}: Extract<Judgement, { holds: undefined }>): Message {
  const subject = message`${literal(condition.text)} cannot be judged`;
  const metric = literal(condition.metric);
  if (samples === 0) return message`${subject}: there are no stats`;
  if (missing === 0) return message`${subject}: the mean of ${metric} is too large a number`;
  if (missing < samples)
    return message`${subject}: ${formatNumber(missing)} of ${formatCount(samples, 'sample')} do not report ${metric}`;
  const names = abbreviate(reported, MAX_REPORTED, {
    show: literal,
    more: rest => message`${formatNumber(rest)} more`,
  });
  const others = names.length === 0 ? message`nothing` : enumerate(names);
  return message`${subject}: the sandbox does not report ${metric}; it reports ${others}`;
}

interface Row {
  readonly name: Html;
  /** The second figure is the percentage of the first. */
  readonly figures: readonly string[];
  readonly total?: string;
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
  { name: html`Cache`, figures: ['mem_cache'], judged: ['mem_cache'] },
  {
    name: html`Disk`,
    figures: ['disk_used', 'disk_used_pct'],
    total: 'disk_total',
    judged: ['disk_used', 'disk_used_pct', 'disk_free'],
  },
];

const MAX_CONDITIONS = 30;

export function figuresTable({ samples, gate }: Report): Html[] {
  if (samples.length === 0) return [];
  const conditions = [...gate.failIf, ...gate.warnIf].slice(0, MAX_CONDITIONS);
  const known = new Set(ROWS.flatMap(({ judged }) => judged));
  const others = new Set(conditions.map(({ metric }) => metric)).difference(known);
  const rows = [...ROWS, ...[...others].map(rowOf)].flatMap(row => {
    const own = conditions.filter(({ metric }) => row.judged.includes(metric));
    const peak = describeUse(row, samples.length > 1 ? 'max' : 'last', samples);
    if (peak === undefined && own.length === 0) return [];
    const limits = own.map(condition => limitOf(condition, gate));
    const isMeanJudged = own.some(({ aggregate }) => aggregate === 'mean');
    const mean = isMeanJudged ? describeUse(row, 'mean', samples) : undefined;
    const name = headingOf(row, samples);
    return [[name, peak ?? html`not reported`, concat(limits, '<br>'), mean ?? html``]];
  });
  return table(['', samples.length > 1 ? 'Peak' : 'Now', 'Limit', 'Mean'], rows);
}

function rowOf(metric: string): Row {
  return { name: code(metric), figures: [metric], judged: [metric] };
}

function headingOf({ name, total }: Row, samples: readonly Sample[]): Html {
  const figure = total && figureOver(total, 'last', samples);
  if (total === undefined || !figure) return name;
  const size = total === 'cpu_count' ? formatCount(figure, 'core') : formatFigure(total, figure);
  return html`${name} (${unbroken(size)})`;
}

function describeUse(
  { figures }: Row,
  aggregate: Aggregate,
  samples: readonly Sample[],
): Html | undefined {
  const [first, second] = figures.flatMap(metric => {
    const figure = figureOver(metric, aggregate, samples);
    return figure === undefined ? [] : [unbroken(formatFigure(metric, figure))];
  });
  return first === undefined || second === undefined ? first : html`${first} (${second})`;
}

const MARKS = { fail: '❌', warn: '⚠️', none: '✅' } as const;

// Conditions say what trips; the column says what is allowed.
const BOUNDS: Readonly<Record<Operator, string>> = {
  '>': '',
  '>=': '',
  '<': 'min. ',
  '<=': 'min. ',
  '==': 'not ',
  '!=': 'only ',
};

/** Returns a cell such as `❌ 90 %` or `✅ min. 512 MiB free`. */
function limitOf(condition: Condition, { breaches, warnIf }: Gate): Html {
  const { metric, aggregate, operator, limit } = condition;
  const level = breaches.find(breach => breach.condition === condition)?.level ?? 'none';
  const isUsual = aggregate === decidingOf({ ...condition, aggregate: undefined });
  const which = aggregate === undefined || isUsual ? '' : `${aggregate} `;
  const suffix = `${metric.endsWith('_free') ? ' free' : ''}${warnIf.includes(condition) ? ' (warn)' : ''}`;
  const allowed = html`${which}${BOUNDS[operator]}${unbroken(formatFigure(metric, limit))}${suffix}`;
  return html`${MARKS[level]}&nbsp;${allowed}`;
}
