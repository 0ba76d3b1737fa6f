/** A number that the agent reports: whole ones as bigint, exact whatever their size. */
export type Figure = bigint | number;

/** The figures of one reading by metric, those reported and those derived. What is missing was not reported. */
export type Figures = ReadonlyMap<string, Figure>;

/** What a metric's figures count. */
export type MetricKind = 'percentage' | 'bytes' | 'mebibytes' | 'plain';

/** The metrics of the contract: whole numbers (int64), but for the percentage. */
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

/** The metrics that can be known beforehand, those of the contract and those derived from them. */
export const METRICS: Readonly<Record<string, MetricKind>> = {
  ...CONTRACT,
  mem_used_pct: 'percentage',
  mem_free: 'bytes',
  disk_used_pct: 'percentage',
  disk_free: 'bytes',
};

/** What a metric counts; undefined for one that only the agent knows. */
export function metricKind(metric: string): MetricKind | undefined {
  return Object.hasOwn(METRICS, metric) ? METRICS[metric] : undefined;
}

/**
 * The known metric that a name is a slip of: short for a share, with other hyphens or case, or two letters apart and with
 * the same first letter.
 */
export function nearestMetric(name: string): string | undefined {
  const plain = name
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^memory/, 'mem');
  if (['cpu', 'mem', 'disk'].includes(plain)) return `${plain}_used_pct`;
  const metrics = Object.keys(METRICS).filter(metric => metric[0] === plain[0]);
  return nearest(plain, metrics, 0.5);
}

/** The nearest word that is at most two edits away from what was written, and fewer than this part of its letters. */
export function nearest(written: string, words: readonly string[], part = 1): string | undefined {
  const ranked = words
    .map(word => ({ word, distance: editDistance(written, word) }))
    .sort((a, b) => a.distance - b.distance);
  return ranked.find(({ distance, word }) => distance <= 2 && distance < word.length * part)?.word;
}

/** Levenshtein's distance: how many letters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of a.split('').entries()) {
    const next = [i + 1];
    for (const [j, other] of b.split('').entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
