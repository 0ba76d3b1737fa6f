import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AGGREGATES, OPERATORS } from '../../src/gate/conditions.ts';
import { compare, exactly } from '../../src/gate/exact-number.ts';
import { CONTRACT, METRICS } from '../../src/gate/metrics.ts';
import { decodeStats } from '../../src/stats/decode.ts';
import { parse } from './given.ts';

/** Asserts a condition's limit, in the metric's own unit. */
function checkLimit(line: string, limit: bigint | number): void {
  const { limit: found } = parse(line);
  assert.equal(compare(found, exactly(limit)), 0, `${line}: ${found.numerator}/${found.denominator}`);
}

test('the known metrics are those of the contract and the derived ones', () => {
  const derived = ['mem_used_pct', 'mem_free', 'disk_used_pct', 'disk_free'];
  assert.deepEqual(Object.keys(METRICS).sort(), [...Object.keys(CONTRACT), ...derived].sort());
});

describe('every metric can stand with every aggregate and every operator', () => {
  for (const metric of [...Object.keys(METRICS), 'mem_cache', 'load_avg_1m', 'swap-used', 'X', '_x9']) {
    test(metric, () => {
      for (const operator of OPERATORS) {
        const bare = parse(`${metric} ${operator} 7`);
        assert.deepEqual([bare.metric, bare.aggregate, bare.operator], [metric, undefined, operator]);
        for (const aggregate of AGGREGATES) {
          const { text, ...found } = parse(`${metric}.${aggregate} ${operator} 7`);
          assert.equal(text, `${metric}.${aggregate} ${operator} 7`);
          assert.deepEqual({ ...found, limit: 7 }, { metric, aggregate, operator, limit: 7 });
        }
      }
    });
  }
});

describe('every metric that an agent reports can be judged', () => {
  const reported = '{"mem_cache":1,"gpu_used_pct":2.5,"gpu_count":1,"cpu_used":3}';
  for (const metric of decodeStats(reported).figures.keys()) {
    test(metric, () => assert.equal(parse(`${metric} > 1`).metric, metric));
  }
});

describe('white space around the parts makes no difference', () => {
  const lines = [
    'mem_used.max>=1.5GiB',
    ' mem_used.max >= 1.5 GiB ',
    'mem_used .max\t>=\t1.5  GiB',
    '\u00a0mem_used.max  >=1.5GiB',
  ];
  for (const line of lines) {
    test(JSON.stringify(line), () => {
      assert.deepEqual(parse(line), parse('mem_used.max >= 1.5GiB'));
      assert.equal(parse(line).text, 'mem_used.max >= 1.5GiB');
    });
  }
});

describe('a number', () => {
  test('is exact beyond what a float can tell', () => {
    checkLimit('mem_used == 9007199254740993', 9_007_199_254_740_993n);
    checkLimit('mem_used == 9223372036854775807', 2n ** 63n - 1n);
    checkLimit('mem_used == 9223372036854775807B', 2n ** 63n - 1n);
  });
  test('may be negative, have decimals, an exponent, leading zeros', () => {
    checkLimit('mem_free < -12', -12n);
    checkLimit('cpu_used_pct > 90.5%', 90.5);
    checkLimit('cpu_used_pct > 0.1', 0.1);
    checkLimit('mem_used > 1e9', 10n ** 9n);
    checkLimit('mem_used > 2.5e+3', 2500n);
    checkLimit('load > 5e-3', 0.005);
    checkLimit('cpu_count > 007', 7n);
  });
});

describe('a unit', () => {
  const bytes: Readonly<Record<string, bigint>> = {
    B: 1n,
    kB: 1000n,
    MB: 1_000_000n,
    GB: 1_000_000_000n,
    TB: 1_000_000_000_000n,
    KiB: 1024n,
    MiB: 1024n ** 2n,
    GiB: 1024n ** 3n,
    TiB: 1024n ** 4n,
  };
  const of = (kind: string) => Object.keys(METRICS).filter(metric => METRICS[metric] === kind);

  for (const [unit, size] of Object.entries(bytes)) {
    test(`of ${unit} fits every metric in bytes`, () => {
      assert.equal(of('bytes').length, 6);
      for (const metric of of('bytes')) checkLimit(`${metric} > 3${unit}`, 3n * size);
    });
    test(`of ${unit} fits every metric in MiB`, () => {
      assert.deepEqual(of('mebibytes'), ['mem_total_mib', 'mem_used_mib']);
      for (const metric of of('mebibytes')) {
        const { numerator, denominator } = parse(`${metric} > 3${unit}`).limit;
        assert.equal(numerator * 1024n ** 2n, 3n * size * denominator);
      }
    });
    test(`of ${unit} is taken for a metric that only the agent knows`, () => {
      checkLimit(`mem_cache > 3 ${unit}`, 3n * size);
    });
  }

  test('of % fits percentages', () => {
    assert.deepEqual(of('percentage'), ['cpu_used_pct', 'mem_used_pct', 'disk_used_pct']);
    for (const metric of of('percentage')) checkLimit(`${metric} > 90%`, 90n);
    checkLimit('gpu_memory_share > 90%', 90n);
  });

  test('multiplies decimals without rounding', () => {
    checkLimit('mem_used > 1.5GiB', 1_610_612_736n);
    checkLimit('mem_used_mib > 1.5GiB', 1536n);
    checkLimit('mem_used_mib > 0.5MiB', 0.5);
    checkLimit('mem_used > 0.1kB', 100n);
    checkLimit('disk_free < 0.1B', 0.1);
  });

  test('that is left out is the metric’s own', () => {
    checkLimit('mem_used > 512', 512n);
    checkLimit('mem_used_mib > 512', 512n);
  });
});
