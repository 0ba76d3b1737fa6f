import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Condition, parseCondition } from '../../src/gate/conditions.ts';

class Refused extends Error {}

function parse(line: string): Condition {
  return parseCondition(line, (message, column) => {
    throw new Refused(`${column}: ${message}`);
  });
}

describe('a condition is read as', () => {
  const cases: readonly (readonly [line: string, read: Partial<Condition>])[] = [
    ['mem_used_pct>90', { text: 'mem_used_pct > 90', metric: 'mem_used_pct', operator: '>' }],
    ['  cpu_used_pct.max  >=  90 % ', { text: 'cpu_used_pct.max >= 90%', aggregate: 'max' }],
    ['load .min < 1', { text: 'load.min < 1', metric: 'load', aggregate: 'min' }],
    ['cpu_count != 4', { operator: '!=', limit: 4, aggregate: undefined }],
    // Units, in any case.
    ['disk_free < 512 MiB', { text: 'disk_free < 512MiB', limit: 2 ** 29 }],
    ['disk_free < 5gib', { text: 'disk_free < 5GiB', limit: 5 * 2 ** 30 }],
    ['swap > 2KiB', { limit: 2048 }],
    ['swap > 3MB', { limit: 3_000_000 }],
    ['swap > 4GB', { limit: 4_000_000_000 }],
    ['swap > 5TB', { limit: 5_000_000_000_000 }],
    ['swap > 6TiB', { limit: 6 * 2 ** 40 }],
    ['mem_used > 1.005KB', { text: 'mem_used > 1.005kB', limit: 1005 }],
    ['mem_used_mib >= 1.5GiB', { limit: 1536 }],
    ['mem_used_mib >= 1536', { limit: 1536 }],
    ['mem_used > 1e3B', { limit: 1000 }],
    // Percentages.
    ['cpu_used_pct > 0', { limit: 0 }],
    ['cpu_used_pct > 1', { limit: 1 }],
    ['cpu_used_pct > 0.9%', { limit: 0.9 }],
    ['cpu_used_pct < 1.5', { limit: 1.5 }],
    // A metric may have any name, and what only the agent knows any unit and number.
    ['mem_used_gib > 5', { metric: 'mem_used_gib', limit: 5 }],
    ['load > -0.5', { metric: 'load', limit: -0.5 }],
    ['gpu-0.temp/C > 0.5', { metric: 'gpu-0.temp/C', aggregate: undefined }],
    ['load.1m.mean > 2', { metric: 'load.1m', aggregate: 'mean' }],
    ['swap > 1GiB', { limit: 2 ** 30 }],
    ['battery < 20%', { text: 'battery < 20%', limit: 20 }],
  ];
  for (const [line, read] of cases)
    test(line, () => assert.deepEqual({ ...parse(line), ...read }, parse(line)));
});

/** By what is wrong: lines, with the column and words of the refusal. */
const REFUSED: Readonly<Record<string, readonly (readonly [line: string, says: string])[]>> = {
  'what is no metric': [
    ['', '1: a metric was expected, such as mem_used_pct'],
    ['90 < mem_used_pct', '1: a metric was expected, not 90 < mem_used_pct'],
    ['- load > 1', '1: a metric was expected'],
    ['"load > 1"', '1: a metric was expected'],
    ['${{ vars.LIMIT }}', '1: a metric was expected'],
  ],
  'an unknown aggregate of a known metric': [
    ['mem_used.avg > 1B', '10: "avg" is not one of the aggregates last, min, max, mean'],
    ['mem_used. > 1', '10: "" is not one of'],
  ],
  'what is no operator': [
    ['mem_used', '9: one of > >= < <= == != was expected'],
    ['mem_used = 1', '10: one of > >= < <= == != was expected, not = 1'],
    ['mem_used => 1', '10: one of'],
    ['mem_used above 1', '10: one of > >= < <= == != was expected, not above 1'],
    ['max(mem_used) > 1', '4: one of'],
  ],
  'what is no number': [
    ['mem_used >', '11: nothing follows >: is an expression empty?'],
    ['mem_used > lots', '12: a number was expected, not lots, such as 90 or 1.5'],
    ['mem_used > 1.2.3', '12: a number was expected'],
    ['mem_used > .5', '12: a number was expected'],
    ['mem_used > 5.', '12: a number was expected'],
    ['load > 1e309', '8: 1e309 is too large'],
  ],
  'a comma in a number': [
    ['cpu_used_pct > 90,5', '16: write the number without a comma'],
    ['mem_used > 1,000B', '12: write the number without a comma'],
  ],
  'a comment at the end of a line': [
    ['cpu_used_pct > 90 # busy', '19: a comment needs a line of its own'],
    ['cpu_used_pct > 90 % # busy', '19: a comment needs a line of its own'],
  ],
  'a unit that does not fit': [
    ['disk_free < 512', '16: disk_free is in bytes and needs a unit, such as 512MiB'],
    ['mem_used > 90%', '14: % is not a unit of mem_used: write one of B kB MB'],
    ['mem_used_mib > 5 PiB', '18: PiB is not a unit of mem_used_mib: write one of B kB MB'],
    ['mem_used_pct > 1GiB', '17: GiB is not a unit of mem_used_pct: write %, or no unit'],
    ['cpu_count > 4%', '14: % is not a unit of cpu_count: write no unit'],
    ['load > 5 bananas', '10: bananas is not a unit of load: write one of % B kB'],
  ],
  'a second condition': [
    ['cpu_used_pct > 90 && load > 2', 'one condition per line'],
    ['cpu_used_pct > 90, load > 2', 'one condition per line'],
    ['cpu_used_pct > 90 and load > 2', 'one condition per line'],
  ],
  'a percentage that is a fraction, or out of range': [
    ['mem_used_pct > 0.9', '16: write 90, or 0.9% if you mean it'],
    ['cpu_used_pct.max > 0.07', '20: write 7, or 0.07%'],
    ['mem_used_pct > 101', '16: mem_used_pct is a percentage, which is between 0 and 100'],
    ['cpu_used_pct < -1%', '16: cpu_used_pct is a percentage'],
  ],
};

for (const [name, lines] of Object.entries(REFUSED)) {
  describe(`refused is ${name}`, () => {
    for (const [line, says] of lines) {
      test(JSON.stringify(line), () => {
        const isRight = (error: unknown) =>
          error instanceof Refused && error.message.includes(says);
        assert.throws(() => parse(line), isRight);
      });
    }
  });
}
