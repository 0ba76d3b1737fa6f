import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '../../src/gate/judge.ts';
import { parse } from '../support/parse-condition.ts';
import { rejects, sameMessage } from '../support/parse-inputs.ts';

const ACCEPTED: readonly (readonly [line: string, parsed: Partial<Condition>])[] = [
  ['mem_used_pct>90', { text: 'mem_used_pct > 90', metric: 'mem_used_pct', operator: '>' }],
  ['  cpu_used_pct.max  >=  90 % ', { text: 'cpu_used_pct.max >= 90%', aggregate: 'max' }],
  ['load.min < 1', { metric: 'load', aggregate: 'min' }],
  ['cpu_count != 4', { operator: '!=', limit: 4, aggregate: undefined }],
  // Units are case-insensitive, and limits are converted to the metric's unit (bytes or MiB).
  ['disk_free < 512 MiB', { text: 'disk_free < 512MiB', limit: 2 ** 29 }],
  ['mem_used > 1.005KB', { text: 'mem_used > 1.005kB', limit: 1005 }],
  ['mem_used_mib >= 1.5GiB', { limit: 1536 }],
  ['mem_used_mib >= 1536', { limit: 1536 }],
  ['load > 25e-1', { limit: 2.5 }],
  // Percentages, with or without a percent sign.
  ['cpu_used_pct > 0', { limit: 0 }],
  ['cpu_used_pct > 1', { limit: 1 }],
  ['cpu_used_pct > 0.9%', { limit: 0.9 }],
  // Custom metrics may have any name, unit and number.
  ['load > -0.5', { metric: 'load', limit: -0.5 }],
  ['disk-free-home < 5', { metric: 'disk-free-home' }],
  ['gpu-0.temp/C > 0.5', { metric: 'gpu-0.temp/C', aggregate: undefined }],
  ['load.1m.mean > 2', { metric: 'load.1m', aggregate: 'mean' }],
  ['latency.p95.last > 2', { metric: 'latency.p95', aggregate: 'last' }],
  ['mem_used_ratio < 20%', { metric: 'mem_used_ratio' }],
  ['battery < 20%', { text: 'battery < 20%', limit: 20 }],
];

test('a condition has a metric, perhaps an aggregate, an operator, and a limit in the unit of its metric', () => {
  for (const [line, parsed] of ACCEPTED)
    assert.deepEqual({ ...parse(line), ...parsed }, parse(line), line);
});

test('a line that is not of the form of a condition is rejected', () => {
  const noMetric = ['- load > 1', '${{ vars.LIMIT }}'];
  const noOperator = ['mem_used', 'mem_used = 1', 'mem_used 90', 'max(mem_used) > 1'];
  const noNumber = ['mem_used >', 'mem_used > lots', 'mem_used > .5'];
  const several = ['&& load > 2', ', load > 2', 'and load > 2', 'load > 2'];
  const lines = several.map(more => `cpu_used_pct > 90 ${more}`);
  const form =
    '%: this is not of the form METRIC OPERATOR NUMBER, with one of > >= < <= == !=. Write one condition or comment per line';
  rejects('fail-if', sameMessage([...noMetric, ...noOperator, ...noNumber, ...lines], form));
});

test('a line that is nearly a condition is rejected with what to change', () => {
  rejects('fail-if', {
    ...sameMessage(['"load > 1"', "'mem_used_pct > 90'"], '% is in quotation marks. Remove them.'),
    ...sameMessage(
      ['mem_used_pct > 90 # busy', 'mem_used_pct > 90% #busy'],
      '% has a # in it. Write each comment on a line of its own.',
    ),
    ...sameMessage(['cpu_used_pct > 90,5', 'load > 1,000.5'], '% has a comma in its number.'),
    ...sameMessage(['90 < mem_used_pct', '1GiB >= mem_free'], '% begins with the number.'),
    ...sameMessage(
      ['mem-used-pct > 80', 'disk-free.max > 1GiB'],
      '% has hyphens in place of underscores.',
    ),
    ...sameMessage(
      ['disk_free < 10%', 'mem_used.max > 90%', 'mem_used_mib > 90%'],
      '% is in bytes. Judge mem_used_pct or disk_used_pct.',
    ),
    'mem_used > 80': 'not with no unit. Example: `fail-if: mem_used > 512MiB`',
    'mem_free < -1GiB': ': bytes are never negative.',
  });
});

test('a condition whose aggregate, unit or percentage is wrong is rejected', () => {
  const bytes = ': write the number with B or kB or MB';
  rejects('fail-if', {
    'mem_used.avg > 1B': '"avg" is not one of the aggregates last, min, max, mean, p50, p95',
    'mem_used_pct > 1GiB': 'write the number with % or no unit, not with GiB.',
    'mem_used > 5': 'TiB, not with no unit.',
    ...sameMessage(['disk_free < 512', 'gpu_mib > 90%'], bytes),
    'cpu_count > 4%': 'write the number with no unit, not with %.',
    'load > 5bananas': 'or no unit, not with bananas.',
    'cpu_used_pct.max > 0.07': 'write a number from 1 to 100, or 0.07% if you mean it',
    'mem_used_pct > 101': '101 is not a percentage from 0 to 100',
    'cpu_used_pct < -1%': '-1 is not a percentage from 0 to 100',
  });
});
