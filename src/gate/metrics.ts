import { closestWord } from '../text/nearest.ts';

/** The figures of one sample by metric, reported and derived. */
export type Figures = ReadonlyMap<string, number>;

export type MetricKind = 'percentage' | 'bytes' | 'mebibytes' | 'plain';

/** The metrics of the contract: whole numbers (int64), except for the percentage. */
export const CONTRACT: Readonly<Record<string, MetricKind>> = {
  ts: 'plain',
  cpu_count: 'plain',
  cpu_used_pct: 'percentage',
  mem_total: 'bytes',
  mem_used: 'bytes',
  mem_total_mib: 'mebibytes',
  mem_used_mib: 'mebibytes',
  disk_total: 'bytes',
  disk_used: 'bytes',
};

/** The contract's metrics, and those derived from them. */
export const METRICS: Readonly<Record<string, MetricKind>> = {
  ...CONTRACT,
  mem_used_pct: 'percentage',
  mem_free: 'bytes',
  disk_used_pct: 'percentage',
  disk_free: 'bytes',
};

/** What a metric counts; undefined for a metric that only the agent knows. */
export function metricKind(metric: string): MetricKind | undefined {
  return Object.hasOwn(METRICS, metric) ? METRICS[metric] : undefined;
}

/** The metric that a short name, another spelling or a typo probably means. */
export function nearestMetric(name: string): string | undefined {
  const plain = name
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^memory/, 'mem');
  if (['cpu', 'mem', 'disk'].includes(plain)) return `${plain}_used_pct`;
  const metrics = Object.keys(METRICS).filter(metric => metric[0] === plain[0]);
  return closestWord(plain, metrics, 0.5);
}
