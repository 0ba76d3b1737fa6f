import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CONTRACT, type Figure } from '../../src/gate/metrics.ts';
import { decodeStats } from '../../src/stats/decode.ts';

function figuresOf(json: string): Record<string, Figure> {
  return Object.fromEntries(decodeStats(json).figures);
}

const WHOLE: Readonly<Record<string, Figure>> = {
  '0': 0n,
  '-0': 0n,
  '4.0': 4n,
  '4e9': 4_000_000_000n,
  '9007199254740993': 9007199254740993n,
  '9223372036854775807': 9223372036854775807n,
};
const NOT_WHOLE = ['9223372036854775808', '1e19', '1e400', '-1', '1.5', '"7"', 'true', '[]', '{}'];

const PERCENTAGES: Readonly<Record<string, Figure>> = { '12.34': 12.34, '0': 0, '100': 100, '1e1': 10 };
const NO_PERCENTAGES = [`1${'0'.repeat(400)}`, '1e400', '-1', '-0.5', '"12"', 'true', '[]'];

for (const field of Object.keys(CONTRACT)) {
  const isPercentage = field === 'cpu_used_pct';

  describe(field, () => {
    test('is exact, and of its kind', () => {
      for (const [text, expected] of Object.entries(isPercentage ? PERCENTAGES : WHOLE)) {
        const { figures, warnings } = decodeStats(`{"${field}":${text}}`);
        assert.deepEqual([...figures], [[field, expected]], text);
        assert.deepEqual(warnings, []);
      }
    });

    test('cannot be used, with a warning, where it is something else', () => {
      const says = `The sandbox's ${field} cannot be used: it is not a valid number.`;
      for (const text of isPercentage ? NO_PERCENTAGES : NOT_WHOLE) {
        const { figures, warnings } = decodeStats(`{"${field}":${text}}`);
        assert.deepEqual([[...figures], warnings], [[], [says]], text);
      }
    });

    test('may be missing or null', () => {
      for (const json of ['{}', `{"${field}":null}`]) {
        const { figures, warnings } = decodeStats(json);
        assert.deepEqual([[...figures], warnings], [[], []]);
      }
    });
  });
}

describe('fields that the contract does not know', () => {
  test('are figures where they are numbers, and otherwise nothing to warn of', () => {
    const json = '{"mem_cache":9007199254740993,"load":0.5,"delta":-3,"far":1e400,"host":"h","more":{"a":1},"n":null}';
    const { figures, warnings } = decodeStats(json);
    assert.deepEqual(Object.fromEntries(figures), { mem_cache: 9007199254740993n, load: 0.5, delta: -3n });
    assert.deepEqual(warnings, []);
  });

  test('have names that are nothing but names', () => {
    const found = figuresOf('{"__proto__":{"mem_total":5},"constructor":7,"toString":1.5}');
    assert.deepEqual(Object.entries(found), [
      ['constructor', 7n],
      ['toString', 1.5],
    ]);
  });
});

describe('of many figures', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `"f${index}":1`);
  const left = (...fields: string[]) => {
    const { figures, warnings } = decodeStats(`{${fields.join(',')}}`, new Set(['load']));
    return [figures.size, warnings.join().slice(0, 12)];
  };

  test('256 are kept beside those that are known or judged', () => {
    const known = ['"load":1', '"mem_used":1', '"mem_total":2'];
    assert.deepEqual(left(...many(256), ...known), [256 + 5, '']);
    assert.deepEqual(left(...many(257), ...known), [256 + 5, 'Some of the ']);
  });

  test('those with long names or more than 40 digits are left out, and what is judged is then missing', () => {
    assert.deepEqual(left(`"${'n'.repeat(100)}":1`, `"a":-${'9'.repeat(40)}`), [2, '']);
    assert.deepEqual(left(`"${'n'.repeat(101)}":1`), [0, 'Some of the ']);
    assert.deepEqual(left(`"a":1${'0'.repeat(40)}`), [0, 'Some of the ']);
    assert.deepEqual(left(`"load":-1${'0'.repeat(40)}`), [0, "The sandbox'"]);
  });
});

test('the JSON stays as the service sent it; of a field given twice the last counts', () => {
  for (const json of ['{"b":{"c":[1.0]},"a":1e400}', '{ "ts" : 1 }']) assert.equal(decodeStats(json).json, json);
  assert.deepEqual(figuresOf('{"ts":1,"ts":2}'), { ts: 2n });
});

describe('the derived figures', () => {
  const cases: readonly (readonly [used: bigint, total: bigint, percent: number])[] = [
    [0n, 7n, 0],
    [7n, 7n, 100],
    [2n, 3n, 66.67],
    [1n, 800n, 0.13],
    [1n, 20_000n, 0.01],
    [1n, 20_001n, 0],
    [999_949n, 1_000_000n, 99.99],
    [999_950n, 1_000_000n, 100],
    [2n ** 62n, 2n ** 63n - 1n, 50],
    [9n, 8n, 112.5],
  ];
  for (const [used, total, percent] of cases) {
    test(`of ${used} in ${total}: ${percent} %`, () => {
      for (const part of ['mem', 'disk']) {
        const { [`${part}_used_pct`]: share, [`${part}_free`]: free } = figuresOf(
          `{"${part}_used":${used},"${part}_total":${total}}`,
        );
        assert.deepEqual([share, free], [percent, total - used]);
      }
    });
  }

  test('are not there where a part is not reported, or the total is 0', () => {
    assert.deepEqual(Object.keys(figuresOf('{"mem_used":1,"disk_total":2}')), ['mem_used', 'disk_total']);
    assert.deepEqual(Object.keys(figuresOf('{"disk_used":1,"disk_total":0}')), ['disk_total']);
    const inMebibytes = figuresOf('{"mem_used_mib":1,"mem_total_mib":0}');
    assert.deepEqual(Object.keys(inMebibytes), ['mem_used_mib', 'mem_total_mib', 'mem_total']);
  });

  test('are there in bytes where the service reports MiB alone', () => {
    const found = figuresOf('{"mem_used_mib":1,"mem_total_mib":4}');
    const bytes = { mem_used: 2n ** 20n, mem_total: 2n ** 22n, mem_used_pct: 25, mem_free: 3n * 2n ** 20n };
    assert.deepEqual(found, { mem_used_mib: 1n, mem_total_mib: 4n, ...bytes });
  });

  test('replace what the service sends under their names', () => {
    const found = figuresOf('{"mem_used":1,"mem_total":4,"mem_used_pct":99,"mem_free":99}');
    assert.deepEqual(found, { mem_used: 1n, mem_total: 4n, mem_used_pct: 25, mem_free: 3n });
  });
});
