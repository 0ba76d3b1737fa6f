export type Figures = ReadonlyMap<string, number>;

export type MetricKind = 'percentage' | 'bytes' | 'mebibytes' | 'plain';

/** Well-known metrics; each has an output. */
export const METRICS: Readonly<Record<string, MetricKind>> = {
  ts: 'plain',
  cpu_count: 'plain',
  cpu_used_pct: 'percentage',
  mem_total: 'bytes',
  mem_used: 'bytes',
  mem_cache: 'bytes',
  mem_total_mib: 'mebibytes',
  mem_used_mib: 'mebibytes',
  disk_total: 'bytes',
  disk_used: 'bytes',
  mem_used_pct: 'percentage',
  mem_free: 'bytes',
  disk_used_pct: 'percentage',
  disk_free: 'bytes',
};

/** Returns undefined for an agent's own metrics. */
export function metricKind(metric: string): MetricKind | undefined {
  return Object.hasOwn(METRICS, metric) ? METRICS[metric] : undefined;
}
