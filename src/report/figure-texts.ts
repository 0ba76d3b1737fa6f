import { overallLabelsOf } from '../gate/conditions.ts';
import { type Judgement, judge } from '../gate/judge.ts';
import { aggregateOf, type Unit, unitOf } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
import { inlineCode } from '../text/escape.ts';
import {
  formatBytes,
  formatCount,
  formatDecimal,
  formatNumber,
  formatTime,
} from '../text/format.ts';

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
