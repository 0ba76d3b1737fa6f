import { formatBytes, formatDecimal } from '../text/format.ts';

/** Read these with `figureOf`: `figures['constructor']` is no number. */
export type Figures = Readonly<Record<string, number>>;

export type Unit = 'percentage' | 'bytes' | 'mebibytes' | 'plain';

/** Known metrics. Each has an output with hyphens in its name, such as `mem-used`. */
export const METRICS: Readonly<Record<string, Unit>> = {
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
  oom_kills: 'plain',
};

/** Returns undefined for custom metrics whose name does not end in `_mib`. */
export function unitOf(metric: string): Unit | undefined {
  if (Object.hasOwn(METRICS, metric)) return METRICS[metric];
  return metric.endsWith('_mib') ? 'mebibytes' : undefined;
}

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

/** Each function expects at least one figure, oldest first. */
export const AGGREGATES = {
  last: figures => figures.at(-1) ?? Number.NaN,
  min: figures => figures.reduce((low, figure) => Math.min(low, figure)),
  max: figures => figures.reduce((high, figure) => Math.max(high, figure)),
  mean: figures => figures.reduce((sum, figure) => sum + figure) / figures.length,
  p50: figures => percentile(50, figures),
  p95: figures => percentile(95, figures),
} satisfies Readonly<Record<string, (figures: readonly number[]) => number>>;

export type Aggregate = keyof typeof AGGREGATES;

export const AGGREGATE_NAMES = Object.keys(AGGREGATES).filter(isAggregate);

export function isAggregate(name: string): name is Aggregate {
  return Object.hasOwn(AGGREGATES, name);
}

/** Uses the nearest rank: the smallest figure that is at least as large as `percent` % of all. */
function percentile(percent: number, figures: readonly number[]): number {
  const rank = Math.ceil((percent * figures.length) / 100);
  // Typed arrays sort numerically; arrays sort as strings.
  return Float64Array.from(figures).sort()[rank - 1] ?? Number.NaN;
}

export interface Sample {
  /** Arrival time by the runner's clock, in Unix milliseconds. */
  readonly at: number;
  readonly figures: Figures;
}

export function figureOf(metric: string, figures: Figures): number | undefined {
  return Object.hasOwn(figures, metric) ? figures[metric] : undefined;
}

export function valuesOf(metric: string, samples: readonly Sample[]): number[] {
  return samples.flatMap(({ figures }) => figureOf(metric, figures) ?? []);
}

/** Returns undefined if no sample has the metric. */
export function aggregatesOf(metric: string, samples: readonly Sample[]): object | undefined {
  const figures = valuesOf(metric, samples);
  if (figures.length === 0) return undefined;
  return Object.fromEntries(AGGREGATE_NAMES.map(name => [name, AGGREGATES[name](figures)]));
}

export function aggregateOf(
  aggregate: Aggregate,
  metric: string,
  samples: readonly Sample[],
): number | undefined {
  const figures = valuesOf(metric, samples);
  return figures.length === 0 ? undefined : AGGREGATES[aggregate](figures);
}
