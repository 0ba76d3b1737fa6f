/** The figures of one sample by metric, reported and derived. All are finite. */
export type Figures = ReadonlyMap<string, number>;

export type MetricKind = 'percentage' | 'bytes' | 'mebibytes' | 'plain';

/** The metrics that every service may report, each with an output. */
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

/** What a metric counts; undefined for a metric that only some service knows. */
export function metricKind(metric: string): MetricKind | undefined {
  return Object.hasOwn(METRICS, metric) ? METRICS[metric] : undefined;
}
