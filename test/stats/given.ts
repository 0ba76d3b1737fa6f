import { decodeStats, type Stats } from '../../src/stats/stats.ts';

/** The stats of a JSON text if conditions name these metrics. */
export function decoded(json: string, ...judged: readonly string[]): Stats {
  const stats = decodeStats(json, new Set(judged));
  if (stats instanceof Error) throw stats;
  return stats;
}
