import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { CONTRACT, type Figure } from '../../src/gate/metrics.ts';
import { decodeStats } from '../../src/stats/decode.ts';

function figuresOf(json: string): Record<string, Figure> {
  return Object.fromEntries(decodeStats(json).figures);
}

const WHOLE: Readonly<Record<string, Figure>> = {
  '0': 0n,
  '-0': 0n,
  '7': 7n,
  '4.0': 4n,
  '4e9': 4_000_000_000n,
  '9007199254740993': 9007199254740993n,
  '9223372036854775807': 9223372036854775807n,
};

const NOT_WHOLE = [
  '9223372036854775808',
  '1e19',
  '1e400',
  '-1',
  '-9223372036854775808',
  '1.5',
  '"7"',
  'true',
  '[]',
  '{}',
];

for (const field of Object.keys(CONTRACT).filter(name => name !== 'cpu_used_pct')) {
  describe(field, () => {
    for (const [text, expected] of Object.entries(WHOLE)) {
      test(`${text} is exact`, () => {
        const { figures, warnings } = decodeStats(`{"${field}":${text}}`);
        assert.deepEqual([...figures], [[field, expected]]);
        assert.deepEqual(warnings, []);
      });
    }
    for (const text of NOT_WHOLE) {
      test(`${text} cannot be used`, () => {
        const { figures, warnings } = decodeStats(`{"${field}":${text}}`);
        assert.equal(figures.size, 0);
        const says = `The sandbox's ${field} cannot be used: it is not a number of its kind.`;
        assert.deepEqual(warnings, [says]);
      });
    }
    for (const json of ['{}', `{"${field}":null}`]) {
      test(`${json} is not reported`, () => {
        const { figures, warnings } = decodeStats(json);
        assert.equal(figures.size, 0);
        assert.deepEqual(warnings, []);
      });
    }
  });
}

describe('cpu_used_pct', () => {
  for (const [text, expected] of Object.entries({ '12.34': 12.34, '0': 0, '100': 100, '1e1': 10 })) {
    test(`${text} is ${expected}`, () => {
      assert.deepEqual(figuresOf(`{"cpu_used_pct":${text}}`), { cpu_used_pct: expected });
    });
  }
  for (const text of ['"12"', '1e400', '-1e400', 'true', '[]']) {
    test(`${text} cannot be used`, () => {
      const { figures, warnings } = decodeStats(`{"cpu_used_pct":${text}}`);
      assert.equal(figures.size, 0);
      assert.equal(warnings.length, 1);
    });
  }

  test('it is never scaled by the number of cores', () => {
    assert.equal(figuresOf('{"cpu_count":8,"cpu_used_pct":50}')['cpu_used_pct'], 50);
  });
});

describe('fields that the contract does not know', () => {
  test('numbers are kept, exact', () => {
    const json = '{"mem_cache":9007199254740993,"load":0.5,"delta":-3}';
    assert.deepEqual(figuresOf(json), { mem_cache: 9007199254740993n, load: 0.5, delta: -3n });
  });

  test('anything else is no figure, and no warning', () => {
    const { figures, warnings } = decodeStats('{"host":"h","tags":[1],"more":{"a":1},"on":true,"n":null}');
    assert.equal(figures.size, 0);
    assert.deepEqual(warnings, []);
  });

  test('the JSON stays as the service sent it', () => {
    for (const json of ['{"b":{"c":[1.0]},"a":1e400}', '{ "ts" : 1 }']) {
      assert.equal(decodeStats(json).json, json);
    }
  });

  test('hostile names are names', () => {
    const { figures } = decodeStats('{"__proto__":{"mem_total":5},"constructor":7,"toString":1.5}');
    assert.deepEqual(
      [...figures],
      [
        ['constructor', 7n],
        ['toString', 1.5],
      ],
    );
  });
});

test('of a field given twice the last counts', () => {
  assert.deepEqual(figuresOf('{"ts":1,"ts":2}'), { ts: 2n });
});

for (const json of ['[]', 'null', '7', '"text"', 'true', '[{"ts":1}]']) {
  test(`${json} is no stats`, () => {
    assert.throws(
      () => decodeStats(json),
      (error: unknown) => error instanceof AgentError && error.kind === 'bad-answer',
    );
  });
}
