import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CONTRACT } from '../../src/gate/metrics.ts';
import { decodeStats } from '../../src/stats/stats.ts';
import { decoded } from './given.ts';

function figuresOf(json: string, ...judged: readonly string[]): Record<string, number> {
  return Object.fromEntries(decoded(json, ...judged).figures);
}

const WHOLE: Readonly<Record<string, number>> = {
  '0': 0,
  '-0': 0,
  '4.0': 4,
  '4e9': 4_000_000_000,
  '9007199254740993': 2 ** 53,
  '9223372036854775807': 2 ** 63,
};
const NOT_WHOLE = ['9223372036854775808', '1e19', '1e400', '-1', '1.5', '"7"', 'true', '[]', '{}'];

const PERCENTAGES: Readonly<Record<string, number>> = {
  '12.34': 12.34,
  '0': 0,
  '100': 100,
  '1e1': 10,
};
const NO_PERCENTAGES = [`1${'0'.repeat(400)}`, '1e400', '-1', '-0.5', '"12"', 'true', '[]'];

for (const field of Object.keys(CONTRACT)) {
  const isPercentage = field === 'cpu_used_pct';

  describe(field, () => {
    test('is exact, and of its kind', () => {
      for (const [text, expected] of Object.entries(isPercentage ? PERCENTAGES : WHOLE)) {
        const { figures, warnings } = decoded(`{"${field}":${text}}`);
        assert.deepEqual([...figures], [[field, expected]], text);
        assert.deepEqual(warnings, []);
      }
    });

    test('cannot be used, with a warning, where it is something else', () => {
      const says = `The sandbox's ${field} cannot be used: it is not a valid number.`;
      for (const text of isPercentage ? NO_PERCENTAGES : NOT_WHOLE) {
        const { figures, warnings } = decoded(`{"${field}":${text}}`);
        assert.deepEqual([[...figures], warnings], [[], [says]], text);
      }
    });

    test('may be missing or null', () => {
      for (const json of ['{}', `{"${field}":null}`]) {
        const { figures, warnings } = decoded(json);
        assert.deepEqual([[...figures], warnings], [[], []]);
      }
    });
  });
}

describe('fields that the contract does not know', () => {
  const json =
    '{"mem_cache":9007199254740993,"load":0.5,"delta":-3,"far":1e400,"host":"h","more":{"a":1},"n":null,"__proto__":1}';

  test('are figures if conditions name them', () => {
    assert.deepEqual(figuresOf(json, 'mem_cache', 'delta', '__proto__'), {
      mem_cache: 9007199254740992,
      delta: -3,
      ['__proto__']: 1,
    });
  });

  test('are not kept otherwise, however many there are', () => {
    const many = Array.from({ length: 5000 }, (_, index) => `"f${index}":1`);
    for (const text of [json, `{${many.join()}}`]) {
      const { figures, digits, warnings } = decoded(text);
      assert.deepEqual([figures.size, digits.size, warnings], [0, 0, []]);
    }
  });

  test('cause a warning if conditions name them and they are not numbers', () => {
    const { figures, warnings } = decoded(json, 'far', 'host', 'n', 'gone');
    assert.equal(figures.size, 0);
    const says = (name: string) =>
      `The sandbox's ${name} cannot be used: it is not a valid number.`;
    assert.deepEqual(warnings, [says('far'), says('host')]);
  });
});

describe('the digits', () => {
  const cases: Readonly<Record<string, string>> = {
    '9223372036854775807': '9223372036854775807',
    '4.0': '4',
    '4e9': '4000000000',
    '-0': '0',
  };
  for (const [sent, shown] of Object.entries(cases)) {
    test(`of ${sent} are ${shown}`, () => {
      assert.equal(decoded(`{"mem_used":${sent}}`).digits.get('mem_used'), shown);
    });
  }

  test('of derived figures are exact, and percentages have two decimals', () => {
    const { digits } = decoded('{"mem_total":9223372036854775807,"mem_used":9007199254740993}');
    const shown = ['mem_free', 'mem_used_pct'].map(metric => digits.get(metric));
    assert.deepEqual(shown, ['9214364837600034814', '0.10']);
  });
});

test('secrets are redacted in names, strings and digits, however JSON spells them', () => {
  const redact = (text: string) => text.replaceAll('53cret', '***');
  const cases: Readonly<Record<string, string>> = {
    ' {"a": [1.50, "x"]} ': '{"a": [1.50, "x"]}',
    '{"a":"\\u0041"}': '{"a":"A"}',
    '{"53cret":["a 53cret b"],"c":1.50}': '{"***":["a *** b"],"c":1.50}',
    '{"a":"\\u0035\\u0033cret"}': '{"a":"***"}',
    '{"a":"53cret","a":1e400}': '{"a":1e400}',
    '{"__proto__":{"a":"53cret"}}': '{"__proto__":{"a":"***"}}',
  };
  for (const [sent, shown] of Object.entries(cases)) {
    const stats = decodeStats(sent, new Set(), redact);
    assert.equal(stats instanceof Error ? stats.message : stats.json, shown);
  }
});

test('what is not the JSON of an object is an error that says so', () => {
  const deep = '['.repeat(60_000);
  const cases = {
    '': /not JSON/,
    '{"a":': /not JSON/,
    '[]': /object/,
    null: /object/,
    [deep]: /not JSON/,
  };
  for (const [text, says] of Object.entries(cases)) {
    const stats = decodeStats(text, new Set());
    assert.ok(stats instanceof Error);
    assert.match(stats.message, says);
  }
});

test('the JSON stays as the service sent it; of a field given twice the last counts', () => {
  for (const json of ['{"b":{"c":[1.0]},"a":1e400}', '{ "ts" : 1 }'])
    assert.equal(decoded(json).json, json);
  assert.deepEqual(figuresOf('{"ts":1,"ts":2}'), { ts: 2 });
});

describe('the derived figures', () => {
  const cases: readonly (readonly [used: number, total: number, percent: number])[] = [
    [0, 7, 0],
    [7, 7, 100],
    [2, 3, 66.67],
    [1, 800, 0.13],
    [1, 20_000, 0.01],
    [1, 20_001, 0],
    [999_949, 1_000_000, 99.99],
    [999_950, 1_000_000, 100],
    [2 ** 52, 2 ** 53 - 1, 50],
    [9, 8, 112.5],
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
    assert.deepEqual(Object.keys(figuresOf('{"mem_used":1,"disk_total":2}')), [
      'mem_used',
      'disk_total',
    ]);
    assert.deepEqual(Object.keys(figuresOf('{"disk_used":1,"disk_total":0}')), ['disk_total']);
    const inMebibytes = figuresOf('{"mem_used_mib":1,"mem_total_mib":0}');
    assert.deepEqual(Object.keys(inMebibytes), ['mem_total_mib']);
    const known = figuresOf('{"mem_total":4,"mem_used":1,"mem_total_mib":0,"mem_used_mib":0}');
    assert.deepEqual([known['mem_used_pct'], known['mem_used_mib']], [25, undefined]);
  });

  test('are there in bytes where the service reports MiB alone', () => {
    const found = figuresOf('{"mem_used_mib":1,"mem_total_mib":4}');
    const bytes = {
      mem_used: 2 ** 20,
      mem_total: 2 ** 22,
      mem_used_pct: 25,
      mem_free: 3 * 2 ** 20,
    };
    assert.deepEqual(found, { mem_used_mib: 1, mem_total_mib: 4, ...bytes });
  });

  test('replace what the service sends under their names', () => {
    const found = figuresOf('{"mem_used":1,"mem_total":4,"mem_used_pct":99,"mem_free":99}');
    assert.deepEqual(found, { mem_used: 1, mem_total: 4, mem_used_pct: 25, mem_free: 3 });
  });
});
