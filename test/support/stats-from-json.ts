import assert from 'node:assert/strict';
import { decodeStats, type Stats } from '../../src/stats/sample.ts';

export function statsFromJson(json: string): Stats {
  return decodeStats(json) ?? assert.fail(`not stats: ${json}`);
}
