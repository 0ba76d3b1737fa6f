import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import mermaid from 'mermaid';
import { timeCharts } from '../../src/report/charts.ts';
import { parse } from '../gate/given.ts';
import { course, cpuCourse, mermaidOf, type Reading } from './courses.ts';

/** The platform draws no longer chart. */
const LONGEST = 50_000;

async function check(charts: readonly string[]): Promise<void> {
  for (const chart of charts) {
    assert.ok(chart.length < LONGEST);
    const { diagramType } = await mermaid
      .parse(mermaidOf(chart))
      .catch(error => assert.fail(`${error}\n${chart}`));
    assert.equal(diagramType, 'xychart');
  }
}

const share = fc.oneof(
  fc.double({ min: 0, max: 100, noNaN: true }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -5, max: 105 }),
  fc.constant(`1${'0'.repeat(40)}`),
);

const bytes = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
  fc.constantFrom('0', '1', '1024', '8589934592'),
);

const reading: fc.Arbitrary<Reading> = fc
  .record(
    { cpu_used_pct: share, mem_used: bytes, mem_total: bytes, disk_used: bytes, disk_total: bytes },
    { requiredKeys: [] },
  )
  .map(fields => Object.fromEntries(Object.entries(fields)));

const condition = fc
  .tuple(
    fc.constantFrom('cpu_used_pct', 'mem_used_pct', 'disk_used_pct', 'mem_used', 'disk_used', 'mem_free'),
    fc.oneof(fc.integer({ min: -10, max: 110 }), fc.double({ noNaN: true, noDefaultInfinity: true }), bytes),
  )
  .map(([metric, limit]) => `${metric} > ${limit}`);

describe('mermaid takes every chart', () => {
  const cases: Readonly<Record<string, readonly (number | string | undefined)[]>> = {
    'of three points': [1, 2, 3],
    'of one point among gaps': [undefined, 5, undefined, undefined],
    'of a constant': [50, 50, 50, 50],
    'of zeros': [0, 0, 0],
    'of what rounds to minus zero': [-0.001, -0, 0.001],
    'of negative and large figures': [-1e9, 1e9, 1e300, 5e-324],
    'of a thousand points': Array.from({ length: 1000 }, (_, index) => index / 10),
  };
  for (const [name, values] of Object.entries(cases)) {
    test(name, async () => {
      const charts = timeCharts(cpuCourse(values), [
        parse('cpu_used_pct > 80'),
        parse('cpu_used_pct < -2.5'),
      ]);
      assert.equal(charts.length, 1);
      await check(charts);
    });
  }

  test('of any samples, with any limits', async () => {
    const longest = fc.array(reading, { minLength: 3, maxLength: 150 });
    await fc.assert(
      fc.asyncProperty(longest, fc.array(condition, { maxLength: 8 }), async (readings, conditions) => {
        await check(timeCharts(course(readings), conditions.map(parse)));
      }),
      { numRuns: 60 },
    );
  });
});

describe('mermaid refuses a chart that is broken', () => {
  const chart = mermaidOf(timeCharts(cpuCourse([1, 2, 3]), [])[0] ?? '');
  const breaks: Readonly<Record<string, readonly [from: string, to: string]>> = {
    'not a number': ['2.00', 'NaN'],
    infinite: ['2.00', 'Infinity'],
    'with an exponent': ['2.00', '1e+30'],
    'without points': ['1.00, 2.00, 3.00', ''],
    'with half an axis': ['0 --> 2', '0 -->'],
    'of no kind': ['xychart-beta', 'chart'],
  };
  for (const [name, [from, to]] of Object.entries(breaks)) {
    test(name, async () => {
      assert.ok(chart.includes(from));
      await assert.rejects(mermaid.parse(chart.replace(from, to)));
    });
  }
});
