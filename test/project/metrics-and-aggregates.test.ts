import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { AGGREGATE_NAMES, METRICS } from '../../src/gate/metrics.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');
const METRIC_NAMES = Object.keys(METRICS);
const AGGREGATES = AGGREGATE_NAMES.toSorted();

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => name).sort();
}

/** Returns the names in one row of the table of conditions in docs/gates.md. */
function namesInRow(part: string): string[] {
  const [row = ''] = new RegExp(`^\\| ${part} \\|.*$`, 'm').exec(read('docs/gates.md')) ?? [];
  return namesIn(row, /`(\w+)`/g);
}

test('docs/gates.md names every metric and aggregate, and README.md every aggregate', () => {
  assert.deepEqual(namesInRow('metric'), METRIC_NAMES.toSorted());
  assert.deepEqual(namesInRow('aggregate'), AGGREGATES);
  assert.deepEqual(namesIn(read('README.md'), /`\.(\w+)`/g), AGGREGATES);
});

test('schema/report-1.json has every aggregate and no other', () => {
  const { $defs } = JSON.parse(read('schema/report-1.json'));
  const { description, additionalProperties: metric } = $defs.aggregates;
  assert.deepEqual(Object.keys(metric.properties), AGGREGATE_NAMES);
  assert.deepEqual(metric.required, AGGREGATE_NAMES);
  assert.deepEqual(namesIn(description, /`(\w+)`/g), AGGREGATES);
});
