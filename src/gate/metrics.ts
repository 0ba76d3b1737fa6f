export type Figures = ReadonlyMap<string, number>;

export type Unit = 'percentage' | 'bytes' | 'mebibytes' | 'plain';

interface Metric {
  readonly unit: Unit;
  /** Decimal places in the action output; full precision if unset. */
  readonly decimals?: number;
}

/** Known metrics. Each has an output of the same name, with hyphens. */
export const METRICS: Readonly<Record<string, Metric>> = {
  ts: { unit: 'plain' },
  cpu_count: { unit: 'plain' },
  cpu_used_pct: { unit: 'percentage' },
  mem_total: { unit: 'bytes' },
  mem_used: { unit: 'bytes' },
  mem_cache: { unit: 'bytes' },
  mem_total_mib: { unit: 'mebibytes' },
  mem_used_mib: { unit: 'mebibytes' },
  disk_total: { unit: 'bytes' },
  disk_used: { unit: 'bytes' },
  mem_used_pct: { unit: 'percentage', decimals: 2 },
  mem_free: { unit: 'bytes' },
  disk_used_pct: { unit: 'percentage', decimals: 2 },
  disk_free: { unit: 'bytes' },
};

/** Returns undefined for custom metrics, whose unit is unknown. */
export function unitOf(metric: string): Unit | undefined {
  return Object.hasOwn(METRICS, metric) ? METRICS[metric]?.unit : undefined;
}
