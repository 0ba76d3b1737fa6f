import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderReport } from '../../src/report/render.ts';
import { linesOf } from '../../src/report/section.ts';
import { measured, report } from '../support/build-report.ts';

/** A condition, the loads from 09:05:00 UTC on (one per second), and the expected line. */
const TRIPPED: readonly (readonly [string, readonly number[], ...lines: string[]])[] = [
  ['load > 80', [90.2], 'Gate failed: `load` 90.2 > 80'],
  [
    'load > 80',
    [10, 85, 90, 10],
    'Gate failed: `load` 90 > 80',
    '`load > 80`: 90 at 09:05:02 UTC, in 2 of 4 samples.',
  ],
  ['load.max > 1', [1, 2], 'Gate failed: `load` max 2 > 1'],
  ['mem_used_pct > 0.01%', [3.1], 'Gate failed: memory 3.1 % > 0.01 %'],
];

for (const [condition, figures, verdict, ...lines] of TRIPPED)
  test(`a condition that tripped is reported once, with its limit as written, and how often [${condition}, ${figures.join(' ')}]`, () => {
    const [metric = ''] = condition.split(/[ .]/);
    const readings = figures.map(value => ({ [metric]: value }));
    const stats = measured(readings, [condition], [condition]);
    const { problems, warnings } = renderReport(report({ task: 'stats', stats }));
    assert.deepEqual([problems.map(linesOf), warnings], [[[verdict, ...lines]], lines]);
  });

test('the outputs have all digits of the figures, and are empty, not 0, for a figure that was not reported', () => {
  const figures = { cpu_used_pct: 12.345, disk_used: 0, ts: 1_700_000_000, load: 3 };
  const { outputs } = renderReport(report({ task: 'stats', stats: measured([figures]) }));
  const { aggregates: _, stats, ...others } = outputs;
  const given = Object.entries(others).filter(([, value]) => value !== '');
  assert.equal(stats, JSON.stringify(figures));
  assert.deepEqual(given, [
    ['ts', '1700000000'],
    ['cpu-used-pct', '12.345'],
    ['disk-used', '0'],
    ['gate', 'none'],
    ['tripped', '[]'],
    ['unjudged', '[]'],
  ]);
});

test('the outputs tripped and unjudged list conditions, with figures in the unit of the metric', () => {
  const failIf = ['mem_used_mib > 1.5GiB', 'cpu_used_pct > 90.5%', 'load > 1'];
  const stats = measured([{ mem_used_mib: 1600, cpu_used_pct: 90.6 }], failIf);
  const { gate, tripped, unjudged } = renderReport(report({ task: 'monitor', stats })).outputs;
  assert.equal(gate, 'failed');
  assert.deepEqual(JSON.parse(tripped ?? ''), [
    { level: 'fail', condition: failIf[0], metric: 'mem_used_mib', figure: 1600, limit: 1536 },
    { level: 'fail', condition: failIf[1], metric: 'cpu_used_pct', figure: 90.6, limit: 90.5 },
  ]);
  const [{ why, ...unknown }] = JSON.parse(unjudged ?? '');
  assert.deepEqual(unknown, { level: 'fail', condition: failIf[2], metric: 'load', limit: 1 });
  assert.match(why, /does not report `load`/);
});

test('the output aggregates has the known metrics and those in conditions, and skips samples without them', () => {
  const stats = measured([{ mem_used: 3, load: 1, other: 1 }, { mem_used: 1 }], ['load > 5']);
  const { aggregates } = renderReport(report({ task: 'stats', stats })).outputs;
  assert.deepEqual(JSON.parse(aggregates ?? ''), {
    mem_used: { last: 1, min: 1, max: 3, mean: 2, p50: 1, p95: 3 },
    load: { last: 1, min: 1, max: 1, mean: 1, p50: 1, p95: 1 },
  });
});
