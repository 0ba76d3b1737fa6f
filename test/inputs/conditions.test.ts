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
  ['swap > 3MB', { limit: 3_000_000 }],
  ['swap > 5TB', { limit: 5_000_000_000_000 }],
  ['swap > 6TiB', { limit: 6 * 2 ** 40 }],
  ['mem_used > 1.005KB', { text: 'mem_used > 1.005kB', limit: 1005 }],
  ['mem_used_mib >= 1.5GiB', { limit: 1536 }],
  ['mem_used_mib >= 1536', { limit: 1536 }],
  ['swap_used_mib >= 1GiB', { limit: 1024 }],
  ['mem_used > 1e3B', { limit: 1000 }],
  ['load > 25e-1', { limit: 2.5 }],
  // Percentages, with or without a percent sign.
  ['cpu_used_pct > 0', { limit: 0 }],
  ['cpu_used_pct > 1', { limit: 1 }],
  ['cpu_used_pct > 0.9%', { limit: 0.9 }],
  // Custom metrics may have any name, unit and number.
  ['load > -0.5', { metric: 'load', limit: -0.5 }],
  ['gpu-0.temp/C > 0.5', { metric: 'gpu-0.temp/C', aggregate: undefined }],
  ['load.1m.mean > 2', { metric: 'load.1m', aggregate: 'mean' }],
  ['latency.p95.last > 2', { metric: 'latency.p95', aggregate: 'last' }],
  ['battery < 20%', { text: 'battery < 20%', limit: 20 }],
];

test('a condition has a metric, perhaps an aggregate, an operator, and a limit in the unit of its metric', () => {
  for (const [line, parsed] of ACCEPTED)
    assert.deepEqual({ ...parse(line), ...parsed }, parse(line), line);
});

test('a condition that cannot be parsed is rejected, with the part that is wrong', () => {
  const noMetric = ['90 < mem_used_pct', '- load > 1', '"load > 1"', '${{ vars.LIMIT }}'];
  const noOperator = ['mem_used', 'mem_used = 1', 'mem_used 90', 'mem_used above 1'];
  const noNumber = ['mem_used >', 'mem_used > lots', 'mem_used > .5', 'max(mem_used) > 1'];
  const more = ['&& load > 2', ', load > 2', 'and load > 2', 'load > 2', '# busy', '% # busy'];
  const several = more.map(each => `cpu_used_pct > 90 ${each}`);
  const form = '%: this is not of the form METRIC OPERATOR NUMBER, with one of > >= < <= == !=.';
  rejects('fail-if', sameMessage([...noMetric, ...noOperator, ...noNumber, ...several], form));

  rejects('fail-if', {
    'mem_used.avg > 1B': '"avg" is not one of the aggregates last, min, max, mean, p50, p95',
    'mem_used. > 1': '"" is not one of the aggregates last',
    'cpu_used_pct > 90,5': 'the number needs % or no unit',
    'disk_free < 512': 'the number needs B or kB or MB',
    'mem_used > 5.': 'the number needs B',
    'mem_used > 90%': 'the number needs B or kB or MB',
    'mem_used_mib > 90%': 'TiB or no unit',
    'mem_used_pct > 1GiB': 'the number needs % or no unit',
    'cpu_count > 4%': 'the number needs no unit',
    'load > 5 bananas': 'the number needs % or B or kB',
    'mem_used_pct > 0.9': 'write a number from 1 to 100, or 0.9% if you mean it',
    'mem_used_pct > 101': '101 is not a percentage from 0 to 100',
    'cpu_used_pct < -1%': '-1 is not a percentage from 0 to 100',
  });
});
