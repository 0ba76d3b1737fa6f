import assert from 'node:assert/strict';
import { decodeStats, type Stats } from '../../src/stats/stats.ts';

/** The stats of the text of a JSON object. */
export function decoded(json: string): Stats {
  return decodeStats(json) ?? assert.fail(`no stats: ${json}`);
}
